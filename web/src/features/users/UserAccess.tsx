import { useInfiniteQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { explainAccess } from '#contract/rights.ts';
import type { ExplainedRights, Verdict } from '#domain/explained-rights.ts';
import { countOf, listed } from '../../administration/count.ts';
import { canWords } from '../../administration/RightMark.tsx';
import { RightReason } from '../../administration/RightReason.tsx';
import { ShowMore } from '../../administration/ShowMore.tsx';
import type { UserAnswer } from '../../administration/whole-lists.ts';
import { Loaded } from '../../kit/Loaded.tsx';
import { ProdChip } from '../../kit/StatusChip.tsx';
import { type Answer, call, keyOf } from '../../server/api.ts';
import type { ApiProblem } from '../../server/api-problem.ts';
import { useMe } from '../../server/session.ts';
import { Card } from '../../ui/Card.tsx';
import { TextLink } from '../../ui/TextLink.tsx';
import styles from './UserAccess.module.css';

const pageSize = 10;

/** What a person can do in each project and environment, and why. Members can ask only about themselves. */
export function UserAccess({ user }: { readonly user: UserAnswer }) {
  const me = useMe();
  return me.administrator || me.user.id === user.id ? <AccessCard user={user} /> : null;
}

function AccessCard({ user }: { readonly user: UserAnswer }) {
  const query = useInfiniteQuery<Answer<typeof explainAccess>, ApiProblem>({
    queryKey: [...keyOf(explainAccess), user.id, 'pages'],
    queryFn: ({ pageParam }) =>
      call(explainAccess, { query: { user: user.id, offset: pageParam as number, limit: pageSize } }),
    initialPageParam: 0,
    getNextPageParam: ({ objects, offset, totalCount }) =>
      objects.length > 0 && offset + objects.length < totalCount ? offset + objects.length : undefined,
  });
  return (
    <Card title="Access" lead={leadOf(user)}>
      <Loaded query={query}>
        {({ pages }) => {
          if (pages[0]?.administrator)
            return (
              <p>
                Administrators have every right in every project. Where approvals are required, their changes need one
                too.
              </p>
            );
          const projects = pages.flatMap(({ objects }) => objects);
          if (projects.length === 0) return <p>There is no project yet.</p>;
          return (
            <>
              <ul className={styles.projects}>
                {projects.map((one) => (
                  <ProjectRights key={one.project.id} rights={one} isOpen={projects.length === 1} />
                ))}
              </ul>
              <ShowMore query={query} shown={`${countOf(projects.length, 'project')} shown`} />
            </>
          );
        }}
      </Loaded>
    </Card>
  );
}

const leadOf = ({ name, status }: UserAnswer): string =>
  ({
    ACTIVE: `What ${name} can do in each project, and why.`,
    PENDING: `What ${name} can do in each project once they accept the invitation, and why.`,
    DEACTIVATED: `What ${name} could do in each project if activated again, and why.`,
  })[status];

function ProjectRights({ rights, isOpen }: { readonly rights: ExplainedRights; readonly isOpen: boolean }) {
  const { project, view, edit, environments } = rights;
  return (
    <li>
      <details className={styles.project} open={isOpen}>
        <summary className={styles.summary}>
          <span className={styles.name}>{project.name}</span>
          <span className={styles.short}>{summaryOf(rights)}</span>
        </summary>
        <div className={styles.parts}>
          <Part title="Project">
            <Right right="view" words="view" verdict={view} />
            <Right right="define" words="edit" verdict={edit} />
          </Part>
          {view.may &&
            environments.map(({ id, name, production, define, kill }) => (
              <Part key={id} title={name} isProduction={production}>
                <Right right="define" words="edit definitions" verdict={define} />
                <Right right="kill" words="kill and restore" verdict={kill} />
              </Part>
            ))}
          <p>
            <TextLink to="/p/$project/settings/access" params={{ project: project.name }}>
              Access to {project.name}
            </TextLink>
          </p>
        </div>
      </details>
    </li>
  );
}

/** "Read-only, can kill and restore in Production with approval", "Can edit, in Production with approval". */
function summaryOf({ view, edit, environments }: ExplainedRights): string {
  if (!view.may) return 'No access';
  const editable = environments.filter(({ define }) => define.may).map(({ name }) => name);
  const killable = environments
    .filter(({ define, kill }) => kill.may && !define.may)
    .map(({ name, kill }) => `${name}${kill.withApproval ? ' with approval' : ''}`);
  const kills = killable.length > 0 ? `, can kill and restore in ${listed(killable)}` : '';
  if (!edit.may) return `Read-only${kills}`;
  const guarded = environments.filter(({ define }) => define.withApproval).map(({ name }) => name);
  const approval = guarded.length > 0 ? `, in ${listed(guarded)} with approval` : '';
  const where = editable.length === environments.length ? '' : ` in ${listed(editable) || 'no environment'}`;
  return `Can edit${where}${approval}${kills}`;
}

interface PartProps {
  readonly title: string;
  readonly isProduction?: boolean;
  readonly children: ReactNode;
}

const Part = ({ title, isProduction = false, children }: PartProps) => (
  <section className={styles.part}>
    <h3 className={styles.title}>
      {title} {isProduction && <ProdChip />}
    </h3>
    <ul className={styles.rights}>{children}</ul>
  </section>
);

interface RightProps {
  readonly right: 'view' | 'define' | 'kill';
  readonly words: string;
  readonly verdict: Verdict;
}

const Right = ({ right, words, verdict }: RightProps) => (
  <RightReason
    right={right}
    state={verdict.may ? 'has' : 'lacks'}
    isGuarded={verdict.withApproval}
    what={canWords(verdict, words)}
    why={verdict.reason}
  />
);
