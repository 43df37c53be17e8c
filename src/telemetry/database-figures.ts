/** Metrics from the database. Every node reports the same values: use the maximum, not the sum. */

import { findRemovedCount } from '#store/audit-retention.ts';
import { findLastBackup } from '#store/backup-claims.ts';
import { withDeadline } from '#store/deadline.ts';
import { measureOutbox } from '#store/outbox.ts';
import { countSessions } from '#store/sessions.ts';
import type { Reader } from '#store/sql.ts';
import { countAuditEntries } from './audit-entries.ts';
import { counter, type Family, gauge } from './exposition.ts';

/** Prometheus gives up after ten seconds, and then gets nothing at all. */
const timeoutMs = 2_000;

/** `hasBackups`: whether this node makes nightly backups. */
export function watchDatabase(db: Reader, { hasBackups }: { hasBackups: boolean }): () => Promise<Family[]> {
  const auditEntries = countAuditEntries(db);
  // Without a value, no alert would notice that the very first backup fails.
  const beforeTheFirst = hasBackups ? [{ value: Number.POSITIVE_INFINITY }] : [];
  const read = async (): Promise<Family[]> => {
    const { waiting = 0, givenUp = 0, waitingSince } = (await measureOutbox(db)) ?? {};
    const sessions = await countSessions(db);
    const entries = await auditEntries();
    const removed = await findRemovedCount(db);
    const backupAt = await findLastBackup(db);
    const waitingMs = typeof waitingSince === 'number' ? Math.max(0, db.clock() - waitingSince) : 0;
    return [
      gauge({ name: 'burgee_outbox_mails', help: 'Unsent mails.' }, [
        { value: waiting, labels: { state: 'waiting' } },
        { value: givenUp, labels: { state: 'given_up' } },
      ]),
      gauge({ name: 'burgee_outbox_oldest_seconds', help: 'Age of the oldest waiting mail.' }, [
        { value: waitingMs / 1_000 },
      ]),
      gauge({ name: 'burgee_sessions', help: 'Valid sessions.' }, [{ value: sessions }]),
      gauge(
        { name: 'burgee_audit_entries', help: 'Audit log entries.' },
        entries === undefined ? [] : [{ value: entries }],
      ),
      counter({ name: 'burgee_audit_entries_removed_total', help: 'Audit entries deleted because of AUDIT_DAYS.' }, [
        { value: removed },
      ]),
      gauge(
        { name: 'burgee_backup_age_seconds', help: 'Time since the newest nightly backup was due.' },
        backupAt === undefined ? beforeTheFirst : [{ value: Math.max(0, db.clock() - backupAt) / 1_000 }],
      ),
    ];
  };
  return async () => {
    const figures = await withDeadline(timeoutMs, read).catch(() => undefined);
    const isUp = gauge({ name: 'burgee_database_up', help: 'Whether the database answered this scrape.' }, [
      { value: figures ? 1 : 0 },
    ]);
    return [isUp, ...(figures ?? [])];
  };
}
