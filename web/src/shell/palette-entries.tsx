/** The palette's entries for the typed text, in group order. */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useParams, useRouter } from '@tanstack/react-router';
import {
  Activity,
  ContactRound,
  Flag,
  GitCompareArrows,
  Import,
  KeyRound,
  Layers,
  type LucideIcon,
  Settings,
  SlidersHorizontal,
  User,
  Users,
  UsersRound,
} from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { listApiKeys } from '#contract/api-keys.ts';
import type { Endpoint } from '#contract/endpoint.ts';
import { listFlags } from '#contract/flags.ts';
import { listGroups } from '#contract/groups.ts';
import { createProject } from '#contract/projects.ts';
import { listSegments } from '#contract/segments.ts';
import { listUsers } from '#contract/users.ts';
import { everyoneReading, groupsReading } from '../administration/whole-lists.ts';
import { reading } from '../server/api.ts';
import { recentFlags } from '../server/flag.ts';
import { useLikelyProject } from '../server/project.ts';
import { useMay } from '../server/session.ts';
import { useAllPageActions } from '../state/page-actions.ts';
import { flagPath } from '../state/paths.ts';
import { KeyHint } from '../ui/KeyHint.tsx';
import type { Option } from '../ui/OptionList.tsx';

type Entry = Option & ({ readonly to: string } | { readonly run: () => void });

export function usePaletteEntries() {
  const [text, search] = useState('');
  const project = useProjectName();
  const actions = useActionEntries();
  const flags = useFlagEntries(project, text);
  const segments = useSegmentEntries(project, text);
  const people = usePeopleEntries(text);
  const pages = usePageEntries(project);
  const entries: Entry[] = [
    ...actions.filter(matching(text)),
    // Results for the previous text stay until new ones arrive, so filter them again.
    ...(text === '' ? recentEntries() : flags.entries.filter(matching(text))),
    ...(text === '' ? [] : segments.filter(matching(text))),
    ...(text === '' ? [] : people.filter(matching(text)).slice(0, 8)),
    ...pages.filter(matching(text)),
  ];
  return { entries, search, isSearching: flags.isSearching };
}

const matching = (text: string) => (entry: Entry) => entry.label.toLowerCase().includes(text.toLowerCase());

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

const recentEntries = (): Entry[] =>
  recentFlags().map(({ project, flag }) => ({
    id: `recent ${project} ${flag}`,
    group: 'Recent',
    label: flag,
    face: faceOf(Flag, <span className="mono">{flag}</span>),
    detail: project,
    to: flagPath(project, flag),
  }));

function useFlagEntries(project: string | undefined, text: string): { entries: Entry[]; isSearching: boolean } {
  const found = useQuery({
    ...reading(listFlags, { params: { project: project ?? '' }, query: { name: text, limit: 8 } }),
    enabled: project !== undefined && text !== '',
    placeholderData: keepPreviousData,
  });
  const entries = (found.data?.objects ?? []).map(({ id, name, rolloutStatus }) => ({
    id,
    group: 'Flags',
    label: name,
    face: faceOf(Flag, <span className="mono">{name}</span>),
    detail: rolloutStatus.name,
    to: flagPath(project ?? '', name),
  }));
  return { entries, isSearching: found.isFetching };
}

function useSegmentEntries(project: string | undefined, text: string): Entry[] {
  const may = useMay();
  const found = useQuery({
    ...reading(listSegments, { params: { project: project ?? '' }, query: { name: text, kind: 'all', limit: 8 } }),
    enabled: project !== undefined && text !== '' && may(listSegments),
    placeholderData: keepPreviousData,
  });
  return (found.data?.objects ?? []).map(({ name }) => ({
    id: `segment ${name}`,
    group: 'Segments',
    label: name,
    face: faceOf(ContactRound, <span className="mono">{name}</span>),
    to: `/p/${encodeURIComponent(project ?? '')}/segments/${encodeURIComponent(name)}`,
  }));
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
  { label: 'All activity', icon: Activity, path: '/admin/activity', needs: createProject },
  { label: 'Settings', icon: Settings, path: '/admin/settings', needs: createProject },
  { label: 'Import from Split or a file', icon: Import, path: '/admin/settings/import', needs: createProject },
  { label: 'You: password, second factor, sessions', icon: User, path: '/me' },
];

function usePageEntries(project: string | undefined): Entry[] {
  const may = useMay();
  const router = useRouter();
  const inProject = (label: string, icon: LucideIcon, page: string): PlaceEntry => ({
    label,
    icon,
    path: `/p/${encodeURIComponent(project ?? '')}/${page}`,
  });
  const ofProject = [
    inProject('Flags', Flag, 'flags'),
    inProject('Segments', ContactRound, 'segments'),
    inProject('Drift', GitCompareArrows, 'drift'),
    inProject('Activity', Activity, 'activity'),
    inProject('Environments', Layers, 'environments'),
    inProject('Project settings', SlidersHorizontal, 'settings'),
  ];
  return [...(project === undefined ? [] : ofProject), ...places]
    .filter(({ needs, path }) => (!needs || may(needs)) && path !== router.state.location.pathname)
    .map(({ label, icon, path }) => ({ id: path, group: 'Pages', label, face: faceOf(icon, label), to: path }));
}
