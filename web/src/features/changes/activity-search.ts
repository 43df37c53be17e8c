/** Search parameters of the activity pages. */
import { useNavigate, useSearch } from '@tanstack/react-router';
import { type ObjectType, objectTitles } from '#domain/changes.ts';
import { endOfDay, startOfDay } from '../../activity/days.ts';

interface ActivitySearch {
  /** Text in titles, comments and names. */
  readonly q?: string | undefined;
  /** Flag name. */
  readonly flag?: string | undefined;
  /** User or key id. */
  readonly who?: string | undefined;
  readonly kind?: string | undefined;
  /** Environment name. */
  readonly env?: string | undefined;
  /** Project name. */
  readonly project?: string | undefined;
  /** Days, like 2026-11-15. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

export const isKind = (kind: string | undefined): kind is ObjectType =>
  kind !== undefined && Object.hasOwn(objectTitles, kind);

export function useActivitySearch() {
  const search: ActivitySearch = useSearch({ strict: false });
  const navigate = useNavigate();
  const change = (changed: ActivitySearch) =>
    void navigate({
      to: '.',
      search: (all: ActivitySearch) => ({ ...all, ...changed }),
      replace: true,
      resetScroll: false,
    });
  const { q, flag, who, kind, env, project, from, to } = search;
  const isFiltered = [q, flag, who, kind, env, project, from, to].some((value) => value !== undefined);
  const clear = () => void navigate({ to: '.', search: {}, replace: true });
  return { search, change, clear, isFiltered };
}

/** The query for the server, without project, environment and flag, which it takes as ids. */
export const filterOf = ({ q, who, kind, from, to }: ActivitySearch) => ({
  search: q?.slice(0, 100) || undefined,
  actor: who,
  objectType: isKind(kind) ? kind : undefined,
  from: startOfDay(from),
  to: endOfDay(to),
});
