import { useQuery } from '@tanstack/react-query';
import type { createApiKey } from '#contract/api-keys.ts';
import { listProjects } from '#contract/projects.ts';
import { SecretsDialog } from '../../administration/SecretsDialog.tsx';
import { apiKeysReading } from '../../administration/whole-lists.ts';
import { SdkCode } from '../../sdks/SdkCode.tsx';
import { type Answer, urlOf } from '../../server/api.ts';
import { Command } from '../../ui/Command.tsx';
import { Time } from '../../ui/Time.tsx';
import styles from './CreatedKey.module.css';

interface Props {
  readonly created: Answer<typeof createApiKey>;
  readonly onClose: () => void;
}

/** Shows a new key, once. It exists only in memory: in no address, storage or log. */
export function CreatedKey({ created, onClose }: Props) {
  return (
    <SecretsDialog
      title={`Key for ${created.name}`}
      about="Copy it now to where you need it, or to a password manager."
      secrets={[{ name: 'The key', text: created.key }]}
      onClose={onClose}
    >
      {created.apiKeyType === 'admin' ? (
        <FirstCall id={created.id} />
      ) : (
        <SdkCode keyType={created.apiKeyType} keyText={created.key} />
      )}
    </SecretsDialog>
  );
}

const askAgainMs = 3_000;

/** A command to try the key, and whether it was used. */
function FirstCall({ id }: { readonly id: string }) {
  const { data } = useQuery({ ...apiKeysReading, refetchInterval: askAgainMs });
  const usedAt = data?.find((key) => key.id === id)?.lastUsedAt;
  return (
    <div className={styles.call}>
      <p className={styles.next}>Try it with the key in BURGEE_KEY:</p>
      <Command text={`curl -s ${location.origin}${urlOf(listProjects)} \\\n  -H "Authorization: Bearer $BURGEE_KEY"`} />
      <p className={styles.seen} role="status">
        {usedAt === undefined ? (
          'Waiting for the first call…'
        ) : (
          <>
            Seen <Time at={usedAt} />. It works.
          </>
        )}
      </p>
    </div>
  );
}
