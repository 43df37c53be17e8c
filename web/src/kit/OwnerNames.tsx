import { useQueries } from '@tanstack/react-query';
import { getGroup } from '#contract/groups.ts';
import { getUser } from '#contract/users.ts';
import { reading } from '../server/api.ts';
import type { FlagAnswer } from '../server/flag.ts';
import { useMay } from '../server/session.ts';

const lookUp = { staleTime: 600_000, retry: false };

/** Looked up one by one, so that none is missing. Deleted owners show their id. */
export function OwnerNames({ owners }: Pick<FlagAnswer, 'owners'>) {
  const may = useMay();
  const answers = useQueries({
    queries: owners.map(({ id, type }) =>
      type === 'user'
        ? { ...reading(getUser, { params: { user: id } }), ...lookUp, enabled: may(getUser) }
        : { ...reading(getGroup, { params: { group: id } }), ...lookUp, enabled: may(getGroup) },
    ),
  });
  return owners.map(({ id }, index) => answers[index]?.data?.name ?? (answers[index]?.isLoading ? '…' : id)).join(', ');
}
