/** Known keys that start with what was typed, with the values of their attributes. Empty unless wanted. */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { listIdentities } from '#contract/identities.ts';
import type { IdentityReply } from '#domain/identities.ts';
import { reading } from '../../../server/api.ts';
import { useFlag } from '../../../server/flag.ts';
import { useMay } from '../../../server/session.ts';
import { useSettled } from '../../../state/use-settled.ts';
import { useEditor } from '../editing/editor.ts';

const maxOffered = 8;
const none: readonly IdentityReply[] = [];

export function useIdentities(typed: string, isWanted: boolean): readonly IdentityReply[] {
  const { environment } = useEditor();
  const { trafficType } = useFlag();
  const may = useMay();
  const prefix = useSettled(typed.trim());
  const { data } = useQuery({
    ...reading(listIdentities, {
      params: { trafficType: trafficType.id, environment: environment.id },
      query: { searchPrefix: prefix || undefined, limit: maxOffered },
    }),
    enabled: isWanted && may(listIdentities) && prefix.length <= 250,
    placeholderData: keepPreviousData,
  });
  return data?.data ?? none;
}
