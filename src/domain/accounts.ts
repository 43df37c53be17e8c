/** Accounts: shapes for sign-in, one-time links and two-factor authentication. */

import { type Static, Type } from 'typebox';
import { type Actor, permissions } from './access.ts';
import { dayMs, hourMs, minuteMs } from './durations.ts';
import { Password } from './passwords.ts';
import { extend, Millis, OneOf, patterns, Reference, Title } from './schema.ts';
import { Email, User } from './users.ts';

/** What the holder of an invitation or reset link may see. */
export const InvitationView = Type.Object({
  email: Type.String(),
  name: Type.String(),
  invitedBy: Type.Optional(Type.String({ description: 'name and address of the person who sent the invitation' })),
});

export const Acceptance = Type.Object({ name: Title, password: Password });

export const NameChange = Type.Object({ name: Title });

export const SignIn = Type.Object({
  email: Type.String({ maxLength: 254 }),
  password: Type.String({ maxLength: 1000 }),
  code: Type.Optional(Type.String({ maxLength: 50, description: 'two-factor code or recovery code' })),
});

/** The signed-in user and their permissions. */
export const SessionView = Type.Object({
  id: Type.String(),
  user: User,
  administrator: Type.Boolean(),
  permissions: Type.Array(OneOf(permissions)),
  projects: OneOf(['all', 'listed'], {
    description: 'where they apply: everywhere, or where the lists of the project allow it',
  }),
  createdAt: Millis,
  waiting: Type.Array(extend(Reference, Type.Object({ count: Type.Integer() })), {
    description: 'projects with changesets that wait for them, to be approved or applied; of the newest 1,000 requests',
  }),
  sendsMail: Type.Boolean({ description: 'the server has a mail server' }),
  mustSetUpTwoFactor: Type.Boolean({
    description: 'the server requires a second factor, and the user has none: nothing else works before',
  }),
});
export type SessionView = Static<typeof SessionView>;

/** The user's permissions, as `allows` takes them. */
export const reachOf = ({ permissions: may, projects, user }: SessionView): Pick<Actor, 'permissions' | 'scope'> => ({
  permissions: new Set(may),
  scope: projects === 'all' ? { kind: 'account' } : { kind: 'member', userId: user.id },
});

export const SessionSummary = Type.Object({
  id: Type.String(),
  current: Type.Boolean({ description: 'the session of this request' }),
  address: Type.String(),
  agent: Type.String(),
  createdAt: Millis,
  lastSeenAt: Millis,
});

export const PasswordChange = Type.Object({ current: Type.String({ maxLength: 1000 }), next: Password });
export const ResetRequest = Type.Object({ email: Email });
export const Reset = Type.Object({ password: Password });
export const PasswordProof = Type.Object({ password: Type.String({ maxLength: 1000 }) });

export const TwoFactorOffer = Type.Object({
  secret: Type.String({ description: 'base32, to type in without a camera' }),
  uri: Type.String({ description: 'otpauth://' }),
  qr: Type.String({ description: 'the URI as an SVG QR code' }),
});
export const TwoFactorCode = Type.Object({ code: Type.String({ pattern: patterns.sixDigits }) });
export const RecoveryCodes = Type.Object({ recoveryCodes: Type.Array(Type.String()) });

export const SetupState = Type.Object({
  required: Type.Boolean({ description: 'there is no active administrator yet' }),
});
export const Setup = Type.Object({
  token: Type.String({ maxLength: 100 }),
  email: Email,
  name: Title,
  password: Password,
});
export type Setup = Static<typeof Setup>;

/** A mail in the outbox, for administrators. */
export const WaitingMail = Type.Object({
  id: Type.String(),
  kind: OneOf(['invitation', 'password-reset']),
  email: Type.String(),
  path: Type.String({ description: 'path of the link on this server' }),
  createdAt: Millis,
  expiresAt: Millis,
  attempts: Type.Integer(),
  lastError: Type.Optional(Type.String()),
  givenUpAt: Type.Optional(Millis),
});
export type WaitingMail = Static<typeof WaitingMail>;

export const invitationLifeMs = 7 * dayMs;
export const resetLifeMs = 2 * hourMs;
/** A link this new is not replaced, so that a stranger's request cannot invalidate it. */
export const resetFreshMs = 5 * minuteMs;
/** An account gets at most this many reset mails within `resetMailsMs`. */
export const maxResetMails = 3;
export const resetMailsMs = hourMs;
