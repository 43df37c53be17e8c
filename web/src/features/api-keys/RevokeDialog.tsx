import { useQueryClient } from '@tanstack/react-query';
import { listApiKeys, revokeApiKey } from '#contract/api-keys.ts';
import { listChanges } from '#contract/changes.ts';
import { getProjectAccess } from '#contract/restrictions.ts';
import { LostRights } from '../../administration/GrantedRights.tsx';
import { RemoveModal } from '../../administration/RemoveModal.tsx';
import type { ApiKeyAnswer } from '../../administration/whole-lists.ts';
import { call, keyOf } from '../../server/api.ts';
import { Time } from '../../ui/Time.tsx';
import { type Place, placeInWords } from './key-places.ts';
import { roleWord } from './key-words.ts';

interface Props {
  readonly apiKey: ApiKeyAnswer;
  readonly place: Place;
  readonly onClose: () => void;
}

export function RevokeDialog({ apiKey, place, onClose }: Props) {
  const client = useQueryClient();
  const { id, name, lastFour, lastUsedAt } = apiKey;
  const refresh = () =>
    Promise.all(
      [listApiKeys, listChanges, getProjectAccess].map((one) => client.invalidateQueries({ queryKey: keyOf(one) })),
    );
  return (
    <RemoveModal
      title={`Revoke ${name}?`}
      about={
        <>
          The key ending in <code>{lastFour}</code> stops working immediately. You cannot undo this.{' '}
          {consequence(apiKey, place)}{' '}
          {lastUsedAt === undefined ? (
            'It was never used.'
          ) : (
            <>
              It was last used <Time at={lastUsedAt} />.
            </>
          )}
        </>
      }
      submit="Revoke key"
      send={() => call(revokeApiKey, { params: { key: id } })}
      done={`Revoked ${name}.`}
      refresh={refresh}
      onClose={onClose}
    >
      {apiKey.apiKeyType === 'admin' && <LostRights grantee={{ type: 'api_key', id }} />}
    </RemoveModal>
  );
}

/** What stops working. */
function consequence({ apiKeyType, roles }: ApiKeyAnswer, place: Place): string {
  const where = placeInWords(place);
  if (apiKeyType === 'admin') {
    return `Scripts and tools that use it (${roles.map(roleWord).join(', ')} in ${where}) get 401.`;
  }
  const whose = apiKeyType === 'server_side' ? 'servers' : 'browsers and apps';
  return `It is for ${whose} in ${where}.`;
}
