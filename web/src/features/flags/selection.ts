import { useCallback, useState } from 'react';
import type { ListedFlag } from '#domain/definitions/summary.ts';
import { toastFailure } from '../../state/toasts.ts';
import { useReadAllFlags } from './flags-query.ts';

export interface Selection {
  readonly count: number;
  readonly flags: readonly ListedFlag[];
  /** All flags of the query are being read. */
  readonly isLoading: boolean;
  readonly has: (id: string) => boolean;
  readonly toggle: (flag: ListedFlag) => void;
  /** All flags of the query, also those that were never in sight. */
  readonly selectAll: () => Promise<void>;
  readonly clear: () => void;
}

const none: ReadonlyMap<string, ListedFlag> = new Map();

export function useSelection(): Selection {
  const [selected, setSelected] = useState(none);
  const [isLoading, setLoading] = useState(false);
  const readAll = useReadAllFlags();
  const toggle = useCallback(
    (flag: ListedFlag) =>
      setSelected((before) => {
        const after = new Map(before);
        if (!after.delete(flag.id)) after.set(flag.id, flag);
        return after;
      }),
    [],
  );
  const selectAll = async () => {
    setLoading(true);
    try {
      setSelected(new Map((await readAll()).map((flag) => [flag.id, flag])));
    } catch {
      toastFailure('Could not read all flags. Try again.');
    } finally {
      setLoading(false);
    }
  };
  return {
    count: selected.size,
    flags: [...selected.values()],
    isLoading,
    has: (id) => selected.has(id),
    toggle,
    selectAll,
    clear: () => setSelected(none),
  };
}
