/** What the address of the list of keys asks for. */
import { useNavigate, useSearch } from '@tanstack/react-router';
import type { ApiKeyAnswer } from '../../administration/whole-lists.ts';
import type { Place } from './key-places.ts';

interface KeysSearch {
  /** Name of a project. */
  readonly project?: string | undefined;
  /** Name of an environment of that project. */
  readonly env?: string | undefined;
  /** There: only keys that nobody needs any more, by the look of it. */
  readonly unused?: string | undefined;
  /** There: the dialog for a new key is open. */
  readonly new?: string | undefined;
}

export function useKeysSearch() {
  const search: KeysSearch = useSearch({ from: '/shell/admin/api-keys' });
  const navigate = useNavigate();
  const change = (changed: KeysSearch) =>
    void navigate({ to: '.', search: (all: KeysSearch) => ({ ...all, ...changed }), replace: true });
  /** The back button closes what this opens. */
  const openNew = () => void navigate({ to: '.', search: (all: KeysSearch) => ({ ...all, new: '' }) });
  const isFiltered = search.project !== undefined || search.unused !== undefined;
  return { search, change, openNew, isFiltered };
}

export const unusedDays = 90;

/** Not used for long. A young key may just not be in use yet. */
export const isUnused = ({ lastUsedAt, createdAt }: ApiKeyAnswer, now: number): boolean =>
  now - (lastUsedAt ?? createdAt) > unusedDays * 24 * 60 * 60 * 1000;

/** Whether a key is of the project, and for the environment by name. Keys of the whole account are of no project. */
export function isReaching(place: Place, { project, env }: Pick<KeysSearch, 'project' | 'env'>): boolean {
  if (project === undefined) return true;
  if (place.project !== project) return false;
  return env === undefined || place.environments.some(({ name }) => name === env);
}
