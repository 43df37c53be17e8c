/** Search parameters of the API key list. */

import { useNavigate, useSearch } from '@tanstack/react-router';
import { dayMs } from '#domain/durations.ts';
import type { ApiKeyAnswer } from '../../administration/whole-lists.ts';
import type { Place } from './key-places.ts';

interface KeysSearch {
  /** Part of the name, or the last characters of the key. */
  readonly q?: string | undefined;
  readonly type?: string | undefined;
  /** Project name. */
  readonly project?: string | undefined;
  /** Environment name in that project. */
  readonly env?: string | undefined;
  /** Present: only keys that look unused. */
  readonly unused?: string | undefined;
  /** As `orderOf` reads it. */
  readonly sort?: string | undefined;
  /** Present: the dialog for a new key is open. */
  readonly new?: string | undefined;
}

export function useKeysSearch() {
  const search: KeysSearch = useSearch({ from: '/shell/admin/api-keys' });
  const navigate = useNavigate();
  const change = (changed: KeysSearch) =>
    void navigate({ to: '.', search: (all: KeysSearch) => ({ ...all, ...changed }), replace: true });
  /** Pushes a history entry, so that the back button closes the dialog. */
  const openNew = () => void navigate({ to: '.', search: (all: KeysSearch) => ({ ...all, new: '' }) });
  const isFiltered = [search.q, search.type, search.project, search.unused].some((one) => one !== undefined);
  return { search, change, openNew, isFiltered };
}

/** Whether the name or the end of the key has the text in it, and the type is the wanted one. */
export function isWanted({ name, lastFour, apiKeyType }: ApiKeyAnswer, { q = '', type }: KeysSearch): boolean {
  const text = q.toLowerCase();
  return (type ?? apiKeyType) === apiKeyType && [name, lastFour].some((one) => one.toLowerCase().includes(text));
}

export const unusedDays = 90;

/** Unused for a long time. New keys do not count as unused. */
export const isUnused = ({ lastUsedAt, createdAt }: ApiKeyAnswer, now: number): boolean =>
  now - (lastUsedAt ?? createdAt) > unusedDays * dayMs;

/** Whether a key is limited to the project and environment. Account-wide keys match neither. */
export function isInScope(place: Place, { project, env }: Pick<KeysSearch, 'project' | 'env'>): boolean {
  if (project === undefined) return true;
  if (place.project !== project) return false;
  return env === undefined || place.environments.some(({ name }) => name === env);
}
