/** Which mails people want, and the one that an owner gets once a week about flags that can go. */
import { type Static, Type } from 'typebox';
import type { CleanupGroup } from './cleanup.ts';
import { dayMs, hourMs } from './durations.ts';
import { OneOf } from './schema.ts';
import { watchMails } from './watches.ts';

export const Reminders = Type.Object(
  {
    cleanup: Type.Boolean({ description: 'once a week, about flags that the user owns and that look finished' }),
    watched: OneOf(watchMails, {
      description: 'about changes to flags that the user watches: within minutes, once a day, or not at all',
    }),
  },
  { additionalProperties: false },
);
export type Reminders = Static<typeof Reminders>;

/** In the outbox. */
export const reminderKind = 'cleanup-reminder';

/** What to do with a flag, as far as a mail is worth it. */
export const remindedGroups = ['safe', 'code', 'killed'] as const satisfies readonly CleanupGroup[];
export type RemindedGroup = (typeof remindedGroups)[number];

export interface RemindedProject {
  readonly name: string;
  /** The first ones. */
  readonly flags: readonly { readonly name: string; readonly group: RemindedGroup }[];
  readonly total: number;
}

export interface CleanupReminder {
  readonly kind: typeof reminderKind;
  readonly email: string;
  readonly name: string;
  readonly projects: readonly RemindedProject[];
}

/** Of one project in a mail. */
export const maxRemindedFlags = 20;

const weekMs = 7 * dayMs;
/** The first Monday after the Unix epoch, at 7:00 UTC. */
const firstAt = 4 * dayMs + 7 * hourMs;

/** The next Monday, 7:00 UTC: the same for everyone, so that each project is read once a week. */
export const nextReminderAt = (now: number): number => firstAt + Math.ceil((now + 1 - firstAt) / weekMs) * weekMs;
