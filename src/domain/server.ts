/** The installation: how people sign in, and how it is. */
import { type Static, Type } from 'typebox';
import { Millis, OneOf } from './schema.ts';
import { Email } from './users.ts';

/** Cookies live as long as the longest session; the server decides when one ends. */
export const maxSessionDays = 90;

export const ServerSettings = Type.Object({
  twoFactorRequired: Type.Boolean({
    description: 'people without a second factor can do nothing else before they set one up; keys are not affected',
  }),
  sessionIdleHours: Type.Integer({
    minimum: 1,
    maximum: 24 * maxSessionDays,
    description: 'after so many hours without a request, people sign in again',
  }),
  sessionDays: Type.Integer({
    minimum: 1,
    maximum: maxSessionDays,
    description: 'after so many days, people sign in again in any case',
  }),
});
export type ServerSettings = Static<typeof ServerSettings>;

const Disk = Type.Object({
  path: Type.String(),
  freeBytes: Type.Integer(),
  totalBytes: Type.Integer(),
});
export type Disk = Static<typeof Disk>;

export const Node = Type.Object({
  host: Type.String(),
  version: Type.String({ description: 'of Burgee' }),
  startedAt: Millis,
  seenAt: Millis,
});
export type Node = Static<typeof Node>;

export const ServerState = Type.Object({
  version: Type.String({ description: 'of Burgee, on the node that answers' }),
  settings: ServerSettings,
  database: Type.Object({
    system: OneOf(['sqlite', 'postgresql']),
    milliseconds: Type.Integer({ description: 'how long it took to answer' }),
  }),
  disks: Type.Array(Disk, {
    description: 'of the node that answers: of the database file, and of the folder for backups',
  }),
  nodes: Type.Array(Node, { description: 'those that were there within the last minute, the oldest first' }),
  outbox: Type.Object({
    waiting: Type.Integer(),
    givenUp: Type.Integer(),
    waitingSince: Type.Optional(Millis),
  }),
  mail: Type.Optional(
    Type.Object({ host: Type.String(), from: Type.String() }, { description: 'absent without `SMTP_URL`' }),
  ),
  backups: Type.Optional(
    Type.Object(
      {
        folder: Type.String(),
        dueAt: Type.String({ description: 'the time of the day, in UTC' }),
        keep: Type.Integer(),
        lastAt: Type.Optional(Type.Integer({ description: 'when the newest backup was due, in milliseconds' })),
        failedAt: Type.Optional(Type.Integer({ description: 'when a later one failed, in milliseconds' })),
        error: Type.Optional(Type.String()),
      },
      { description: 'absent without `BACKUP_FOLDER`' },
    ),
  ),
});
export type ServerState = Static<typeof ServerState>;

export const MailTest = Type.Object({
  email: Type.Optional(Type.Unsafe<string>({ ...Email, description: 'where to; absent: to the caller’s own address' })),
});

export const MailTestResult = Type.Object({
  email: Type.String(),
  accepted: Type.Boolean({ description: 'whether the mail server took the mail' }),
  answer: Type.String({ description: 'what the mail server or the network said' }),
});
export type MailTestResult = Static<typeof MailTestResult>;
