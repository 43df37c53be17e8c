/** Tells of the mails that wait in the outbox. Each is told of once, after the commit that put it there. */

import type { Logger } from 'pino';
import { type OutboxEntry, takeUnannounced } from '#store/outbox.ts';
import type { Store } from '#store/sql.ts';

export const invitationLink = (publicUrl: string, { payload }: OutboxEntry): string =>
  `${publicUrl}/invitations/${payload.token}`;

/** Starts with what an earlier process left untold. */
export function announceOutbox(store: Store, log: Logger, publicUrl: string): void {
  const announce = async () => {
    for (const entry of await store.write(takeUnannounced)) {
      const { email, expiresAt } = entry.payload;
      const link = invitationLink(publicUrl, entry);
      log.info({ email, link, expiresAt }, 'no mail server is configured: hand this invitation link over yourself');
    }
  };
  const safely = () =>
    void announce().catch((error: unknown) => log.error({ err: error }, 'the outbox could not be read'));
  store.onCommit(safely);
  safely();
}
