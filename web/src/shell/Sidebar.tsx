import { useQuery } from '@tanstack/react-query';
import { createLink, useParams, useRouterState } from '@tanstack/react-router';
import {
  Activity,
  Broom,
  ContactRound,
  Flag,
  GitCompareArrows,
  GitPullRequestArrow,
  House,
  KeyRound,
  Layers,
  type LucideIcon,
  PanelLeft,
  Radio,
  ScrollText,
  Search,
  Settings,
  SlidersHorizontal,
  Users,
  UsersRound,
} from 'lucide-react';
import { type ComponentProps, lazy, type ReactNode, Suspense, useEffect, useRef, useState } from 'react';
import { listApiKeys } from '#contract/api-keys.ts';
import { listChanges } from '#contract/changes.ts';
import { listFlags } from '#contract/flags.ts';
import { listGroups } from '#contract/groups.ts';
import { createProject } from '#contract/projects.ts';
import { listUsers } from '#contract/users.ts';
import { reading } from '../server/api.ts';
import { useIsGone, useLikelyProject } from '../server/project.ts';
import { useMay, useMe } from '../server/session.ts';
import { openPalette } from '../state/overlays.ts';
import { KeyHint } from '../ui/KeyHint.tsx';
import { Mark } from '../ui/Mark.tsx';
import { PersonMenu } from './PersonMenu.tsx';
import { ProjectSwitcher } from './ProjectSwitcher.tsx';
import { chooseRail, useIsRail } from './rail.ts';
import styles from './Sidebar.module.css';

export const sidebarId = 'navigation';

/** The navigation: a column next to the page, or a popover on narrow screens. */
export function Sidebar() {
  const side = useRef<HTMLElement>(null);
  const isRail = useIsRail();
  const path = useRouterState({ select: ({ location }) => location.pathname });
  // biome-ignore lint/correctness/useExhaustiveDependencies: closes on navigation
  useEffect(() => {
    if (side.current?.matches(':popover-open')) side.current.hidePopover();
  }, [path]);
  return (
    <aside
      ref={side}
      id={sidebarId}
      popover="auto"
      aria-label="Navigation"
      className={styles.side}
      data-rail={isRail || undefined}
    >
      <div className={styles.mark}>
        <Mark />
        <button
          type="button"
          className={styles.fold}
          aria-label={isRail ? 'Expand navigation' : 'Collapse navigation'}
          title={isRail ? 'Expand navigation' : 'Collapse navigation'}
          aria-expanded={!isRail}
          onClick={() => chooseRail(!isRail)}
        >
          <PanelLeft size={16} strokeWidth={1.75} aria-hidden />
        </button>
      </div>
      <ProjectSwitcher />
      <button type="button" className={styles.find} onClick={openPalette}>
        <Search size={14} aria-hidden /> <span className={styles.text}>Search or jump to</span> <KeyHint keys="mod+k" />
      </button>
      <nav aria-label="Main" className={styles.nav}>
        <ProjectLinks />
        <AdministrationLinks />
      </nav>
      <PersonMenu />
    </aside>
  );
}

function ProjectLinks() {
  const { project: nameOrId } = useParams({ strict: false });
  const likely = useLikelyProject(nameOrId);
  const may = useMay();
  const isGone = useIsGone(nameOrId);
  const project = nameOrId ?? likely?.name;
  if (project === undefined || isGone) return null;
  const params = { project };
  return (
    <>
      <NavLink icon={House} to="/p/$project" params={params} activeOptions={{ exact: true }}>
        Home
      </NavLink>
      <NavLink icon={Flag} to="/p/$project/flags" params={params} aside={<FlagCount project={project} />}>
        Flags
      </NavLink>
      <NavLink icon={ContactRound} to="/p/$project/segments" params={params}>
        Segments
      </NavLink>
      <NavLink icon={GitPullRequestArrow} to="/p/$project/changesets" params={params} aside={<Waiting {...params} />}>
        Changesets
      </NavLink>
      <NavLink icon={GitCompareArrows} to="/p/$project/drift" params={params}>
        Drift
      </NavLink>
      <NavLink icon={Broom} to="/p/$project/cleanup" params={params} aside={<LaterCount project={project} />}>
        Cleanup
      </NavLink>
      <NavLink icon={Radio} to="/p/$project/sdks" params={params}>
        SDKs
      </NavLink>
      {may(listChanges) && (
        <NavLink icon={Activity} to="/p/$project/activity" params={params}>
          Activity
        </NavLink>
      )}
      <NavLink icon={Layers} to="/p/$project/environments" params={params}>
        Environments
      </NavLink>
      <NavLink icon={SlidersHorizontal} to="/p/$project/settings" params={params}>
        Project settings
      </NavLink>
    </>
  );
}

function AdministrationLinks() {
  const may = useMay();
  return (
    <>
      <h2 className={styles.heading}>Administration</h2>
      {may(listUsers) && (
        <NavLink icon={Users} to="/admin/users">
          Users
        </NavLink>
      )}
      {may(listGroups) && (
        <NavLink icon={UsersRound} to="/admin/groups">
          Groups
        </NavLink>
      )}
      {may(listApiKeys) && (
        <NavLink icon={KeyRound} to="/admin/api-keys">
          API keys
        </NavLink>
      )}
      {may(createProject) && (
        <>
          <NavLink icon={ScrollText} to="/admin/activity">
            Audit log
          </NavLink>
          <NavLink icon={Settings} to="/admin/settings">
            Server settings
          </NavLink>
        </>
      )}
    </>
  );
}

interface LinkProps extends Omit<ComponentProps<'a'>, 'className'> {
  readonly icon: LucideIcon;
  /** On the right: a number. */
  readonly aside?: ReactNode;
}

function Entry({ icon: Icon, aside, children, ...anchor }: LinkProps) {
  const isRail = useIsRail();
  return (
    <a {...anchor} className={styles.link} title={isRail ? String(children) : undefined}>
      <Icon size={16} strokeWidth={1.75} aria-hidden />
      <span className={styles.text}>{children}</span>
      {!isRail && aside}
    </a>
  );
}

const NavLink = createLink(Entry);

/** Changesets that wait for the user. */
function Waiting({ project }: { readonly project: string }) {
  const here = useMe().waiting.find(({ name }) => name === project);
  return here ? (
    <span className={styles.number}>
      {here.count} <span className="sr">waiting for you</span>
    </span>
  ) : null;
}

/** All flags of the project. The page says it in words. */
function FlagCount({ project }: { readonly project: string }) {
  const { data } = useQuery({ ...reading(listFlags, { params: { project }, query: { limit: 1 } }), staleTime: 30_000 });
  return (
    <span className={styles.number} aria-hidden>
      {data?.totalCount.toLocaleString('en')}
    </span>
  );
}

const CleanupCount = lazy(() => import('./CleanupCount.tsx').then((module) => ({ default: module.CleanupCount })));

/** Asked for when the page has had a second to load: nothing waits for it. */
function LaterCount({ project }: { readonly project: string }) {
  const [isTime, setTime] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setTime(true), 1_000);
    return () => clearTimeout(timer);
  }, []);
  return (
    <span className={styles.number} aria-hidden>
      <Suspense>{isTime && <CleanupCount project={project} />}</Suspense>
    </span>
  );
}
