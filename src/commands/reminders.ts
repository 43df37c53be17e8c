import { nextReminderAt, type Reminders } from '#domain/reminders.ts';
import type { User } from '#domain/users.ts';
import * as store from '#store/reminders.ts';
import { saveWatchMails } from '#store/watches.ts';
import { type Context, writePrivately } from './context.ts';

/** Which reminders people want is private: it is not in the audit log. */
export const changeReminders = (context: Context, { id }: User, wanted: Reminders): Promise<Reminders> =>
  writePrivately(context, async (tx) => {
    if (wanted.cleanup) await store.saveReminder(tx, id, nextReminderAt(tx.now));
    else await store.deleteReminder(tx, id);
    await saveWatchMails(tx, id, wanted.watched);
    return wanted;
  });
