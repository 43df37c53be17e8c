/** The palette's entries for the typed text, in group order. */
import { keepPreviousData, useQueries, useQuery } from '@tanstack/react-query';
import { useParams, useRouter, useRouterState } from '@tanstack/react-router';
import {
  Activity,
  Broom,
  ContactRound,
  Flag,
  FolderClosed,
  GitCompareArrows,
  GitPullRequestArrow,
  Import,
  KeyRound,
  Layers,
  type LucideIcon,
  Radio,
  ScrollText,
  Settings,
  SlidersHorizontal,
  User,
  Users,
  UsersRound,
} from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { listApiKeys } from '#contract/api-keys.ts';
import type { Endpoint } from '#contract/endpoint.ts';
import { listEnvironments } from '#contract/environments.ts';
import { listGroups } from '#contract/groups.ts';
import { createProject } from '#contract/projects.ts';
import { search as searchAll } from '#contract/search.ts';
import { listUsers } from '#contract/users.ts';
import type { Found } from '#domain/search.ts';
import { everyoneReading, groupsReading } from '../administration/whole-lists.ts';
import { reading } from '../server/api.ts';
import { recentFlags } from '../server/flag.ts';
import { useLikelyProject } from '../server/project.ts';
import { useMay } from '../server/session.ts';
import { useAllPageActions } from '../state/page-actions.ts';
import { flagPath } from '../state/paths.ts';
import { KeyHint } from '../ui/KeyHint.tsx';
import type { Option } from '../ui/OptionList.tsx';
import { type Asked, bestFirst, contains, flagSteps, parseAsked, projectSteps, resembles } from './palette-actions.ts';

type Entry = Option & ({ readonly to: string } | { readonly run: () => void });

export function usePaletteEntries() {
  const [text, search] = useState('');
  const here = useRouterState({ select: ({ location }) => location.pathname });
  const project = useProjectName();
  const found = useFoundEntries(text, project);
  const actions = useActionEntries();
  const people = usePeopleEntries(text);
  const pages = usePageEntries(project);
  const local = (matches: Matches): Entry[] => {
    const matching = (entries: readonly Entry[]) =>
      bestFirst(
        entries.filter(({ label }) => matches(label, text)),
        text,
      );
    return [
      ...matching(actions),
      ...(text === '' ? recentEntries().filter(({ to }) => !here.startsWith(to)) : found.entries),
      ...(text === '' ? [] : matching(people).slice(0, 8)),
      ...matching(pages),
    ];
  };
  const exact = local(contains);
  const { isSearching } = found;
  return { entries: exact.length > 0 || isSearching ? exact : local(resembles), search, isSearching };
}

type Matches = (label: string, text: string) => boolean;

const faceOf = (Icon: LucideIcon, name: ReactNode): ReactNode => (
  <>
    <Icon size={15} strokeWidth={1.75} aria-hidden /> {name}
  </>
);

function useProjectName(): string | undefined {
  const { project } = useParams({ strict: false });
  const likely = useLikelyProject();
  return project ?? likely?.name;
}

function useActionEntries(): Entry[] {
  return useAllPageActions()
    .filter(({ isMove }) => !isMove)
    .map(({ label, keys, icon, run }) => ({
      id: `action ${label}`,
      group: 'On this page',
      label,
      ...(icon ? { face: faceOf(icon, label) } : {}),
      ...(keys ? { detail: <KeyHint keys={keys} /> } : {}),
      run,
    }));
}

const recentEntries = () =>
  recentFlags().map(({ project, flag }) => ({
    id: `recent ${project} ${flag}`,
    group: 'Recent',
    label: flag,
    face: faceOf(Flag, <span className="mono">{flag}</span>),
    detail: project,
    to: flagPath(project, flag),
  }));

/** How many flags get their actions listed. Each may be of another project, whose environments must be known. */
const maxActedOn = 3;

/** What the server finds in all projects, that of the current one first, and what can be done with it. */
function useFoundEntries(text: string, current: string | undefined) {
  const asked = parseAsked(text);
  const answer = useQuery({
    ...reading(searchAll, { query: { text: asked.name.slice(0, 100) } }),
    enabled: asked.name !== '',
    placeholderData: keepPreviousData,
  });
  // Results for the previous text stay until new ones arrive, if the new text is in them too.
  const isCurrent = ({ name, project }: Found) =>
    !answer.isPlaceholderData || contains(`${name} ${project.name}`, asked.name);
  const objects = (asked.name === '' ? [] : (answer.data?.objects ?? [])).filter(isCurrent);
  const isHere = ({ project }: Found) => project.name === current;
  const found = [...objects.filter(isHere), ...objects.filter((one) => !isHere(one))];
  const plain = found.filter(
    ({ name, project }) => asked.action === undefined || contains(`${name} ${project.name}`, text),
  );
  return {
    entries: [
      ...useStepEntries(asked, found),
      ...groups.flatMap(({ kind }) => plain.filter(isOf(kind)).slice(0, 8).map(toEntry)),
    ],
    isSearching: answer.isFetching,
  };
}

const isOf = (kind: Found['kind']) => (found: Found) => found.kind === kind;

function useStepEntries(asked: Asked, found: readonly Found[]): Entry[] {
  const isActing = asked.action !== undefined;
  const flags = isActing ? found.filter(isOf('flag')).slice(0, maxActedOn) : [];
  const projects = isActing ? found.filter(isOf('project')).slice(0, maxActedOn) : [];
  const ids = [...new Set(flags.map(({ project }) => project.id))];
  const environments = useQueries({
    queries: ids.map((id) => ({ ...reading(listEnvironments, { params: { project: id } }), staleTime: 60_000 })),
  });
  const steps = [
    ...flags.flatMap(({ name, project }) =>
      flagSteps(asked, { flag: name, project: project.name }, environments[ids.indexOf(project.id)]?.data ?? []).map(
        (step) => ({ ...step, name, project: project.name, group: 'Actions', icon: Flag }),
      ),
    ),
    ...projects.flatMap(({ name }) =>
      projectSteps(asked, name).map((step) => ({ ...step, name, project: '', group: 'Actions', icon: FolderClosed })),
    ),
  ];
  return steps.map(({ label, to, name, project, group, icon }) => ({
    id: `step ${to}`,
    group,
    label: `${name} ${label}`,
    face: faceOf(
      icon,
      <>
        <span className="mono">{name}</span> · {label}
      </>,
    ),
    detail: project,
    to,
  }));
}

const groups = [
  { kind: 'flag', title: 'Flags', icon: Flag, pathOf: ({ name, project }: Found) => flagPath(project.name, name) },
  {
    kind: 'segment',
    title: 'Segments',
    icon: ContactRound,
    pathOf: (found: Found) => inProject(found, `segments/${encodeURIComponent(found.name)}`),
  },
  {
    kind: 'environment',
    title: 'Environments',
    icon: Layers,
    pathOf: (found: Found) => inProject(found, 'environments'),
  },
  { kind: 'project', title: 'Projects', icon: FolderClosed, pathOf: (found: Found) => inProject(found, 'flags') },
] as const;

const inProject = ({ project }: Found, page: string) => `/p/${encodeURIComponent(project.name)}/${page}`;

function toEntry(found: Found): Entry {
  const { kind, name, project } = found;
  const { title, icon, pathOf } = groups.find((one) => one.kind === kind) ?? groups[0];
  return {
    id: `${kind} ${project.id} ${name}`,
    group: title,
    label: name,
    face: faceOf(icon, <span className={kind === 'flag' || kind === 'segment' ? 'mono' : undefined}>{name}</span>),
    ...(kind === 'project' ? {} : { detail: project.name }),
    to: pathOf(found),
  };
}

function usePeopleEntries(text: string): Entry[] {
  const may = useMay();
  const isAsked = text !== '';
  const users = useQuery({ ...everyoneReading, enabled: isAsked && may(listUsers), staleTime: 60_000 });
  const groups = useQuery({ ...groupsReading, enabled: isAsked && may(listGroups), staleTime: 60_000 });
  return [
    ...(users.data?.people ?? []).map(({ id, name, email }) => ({
      id,
      group: 'People and groups',
      label: `${name} ${email}`,
      face: faceOf(User, name),
      detail: email,
      to: `/admin/users/${id}`,
    })),
    ...(groups.data ?? []).map(({ id, name }) => ({
      id,
      group: 'People and groups',
      label: name,
      face: faceOf(UsersRound, name),
      to: `/admin/groups/${id}`,
    })),
  ];
}

interface PlaceEntry {
  readonly label: string;
  readonly icon: LucideIcon;
  readonly path: string;
  readonly needs?: Endpoint;
}

const places: readonly PlaceEntry[] = [
  { label: 'Users', icon: Users, path: '/admin/users', needs: listUsers },
  { label: 'Groups', icon: UsersRound, path: '/admin/groups', needs: listGroups },
  { label: 'API keys', icon: KeyRound, path: '/admin/api-keys', needs: listApiKeys },
  { label: 'Audit log', icon: ScrollText, path: '/admin/activity', needs: createProject },
  { label: 'Server settings', icon: Settings, path: '/admin/settings', needs: createProject },
  { label: 'Import from Split or a file', icon: Import, path: '/admin/settings/import', needs: createProject },
  { label: 'You: password, second factor, sessions', icon: User, path: '/me' },
];

function usePageEntries(project: string | undefined): Entry[] {
  const may = useMay();
  const router = useRouter();
  const pageOf = (label: string, icon: LucideIcon, page: string): PlaceEntry => ({
    label,
    icon,
    path: `/p/${encodeURIComponent(project ?? '')}/${page}`,
  });
  const ofProject = [
    pageOf('Flags', Flag, 'flags'),
    pageOf('Segments', ContactRound, 'segments'),
    pageOf('Changesets', GitPullRequestArrow, 'changesets'),
    pageOf('Drift', GitCompareArrows, 'drift'),
    pageOf('Cleanup', Broom, 'cleanup'),
    pageOf('SDKs', Radio, 'sdks'),
    pageOf('Activity', Activity, 'activity'),
    pageOf('Environments', Layers, 'environments'),
    pageOf('Project settings', SlidersHorizontal, 'settings'),
  ];
  return [...(project === undefined ? [] : ofProject), ...places]
    .filter(({ needs, path }) => (!needs || may(needs)) && path !== router.state.location.pathname)
    .map(({ label, icon, path }) => ({ id: path, group: 'Pages', label, face: faceOf(icon, label), to: path }));
}
