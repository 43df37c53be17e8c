import { type QueryClient, useQuery } from '@tanstack/react-query';
import { getUser } from '#contract/users.ts';
import type { Change } from '#domain/changes.ts';
import { reading } from '../server/api.ts';
import { useMay, useMe } from '../server/session.ts';

const userReading = (id: string) => ({
  ...reading(getUser, { params: { user: id } }),
  staleTime: 600_000,
  retry: false,
});

/** The display name of a change's author. The audit log stores the email address. */
export function useEditorName({ type, id, name }: Change['editor']): string {
  const me = useMe();
  const may = useMay();
  const isOther = type === 'user' && id !== me.user.id;
  const { data } = useQuery({
    ...userReading(id),
    enabled: isOther && may(getUser),
  });
  if (type === 'user' && id === me.user.id) return me.user.name;
  return data?.name ?? name;
}

/** The same as a promise. */
export const fetchEditorName = async (client: QueryClient, { type, id, name }: Change['editor']): Promise<string> =>
  type === 'user'
    ? client.fetchQuery(userReading(id)).then(
        (user) => user.name,
        () => name,
      )
    : name;

export const EditorName = ({ editor }: { readonly editor: Change['editor'] }) => <>{useEditorName(editor)}</>;
