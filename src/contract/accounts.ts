/** Accounts: invitations, sign-in, passwords, two-factor authentication, the first administrator. */
import { Type } from 'typebox';
import {
  Acceptance,
  InvitationView,
  NameChange,
  PasswordChange,
  PasswordProof,
  RecoveryCodes,
  Reset,
  ResetRequest,
  SessionSummary,
  SessionView,
  Setup,
  SetupState,
  SignIn,
  TwoFactorCode,
  TwoFactorOffer,
  WaitingMail,
} from '#domain/accounts.ts';
import { Reminders } from '#domain/reminders.ts';
import { User } from '#domain/users.ts';
import { WatchedFlag } from '#domain/watches.ts';
import { endpoint } from './endpoint.ts';
import { True } from './parts.ts';

export const getInvitation = endpoint({
  method: 'GET',
  path: '/invitations/:token',
  summary: 'Get an invitation',
  access: 'public',
  reply: InvitationView,
  problems: ['invitation_not_found', 'too_many_attempts'],
});

export const acceptInvitation = endpoint({
  method: 'POST',
  path: '/invitations/:token',
  summary: 'Accept an invitation',
  description: 'Activates the user and signs in.',
  access: 'public',
  body: Acceptance,
  reply: SessionView,
  problems: ['invitation_not_found', 'password_weak', 'too_many_attempts', 'busy'],
});

export const resendInvitation = endpoint({
  method: 'POST',
  path: '/users/:user/resend-invitation',
  summary: 'Invite a pending user again',
  description: 'Sends a new link by mail; the old link stops working.',
  access: { needs: 'user.write', scope: 'account' },
  reply: User,
  problems: ['user_not_found', 'invitation_not_pending', 'administrator_protected'],
});

export const listOutbox = endpoint({
  method: 'GET',
  path: '/outbox',
  summary: 'List unsent mails',
  description:
    'All unsent mails, oldest first, with the paths of their links, so that you can pass the links on yourself. A key without all permissions gets only invitations of members: no password reset links, and no invitations of administrators.',
  access: { needs: 'user.write', scope: 'account' },
  reply: Type.Array(WaitingMail),
  problems: [],
});

export const signIn = endpoint({
  method: 'POST',
  path: '/session',
  summary: 'Sign in',
  description: 'If two-factor authentication is on and the code is missing: 401 with `details` = `code required`.',
  access: 'public',
  body: SignIn,
  reply: SessionView,
  problems: ['credentials_invalid', 'code_required', 'account_deactivated', 'too_many_attempts', 'busy'],
});

export const getSession = endpoint({
  method: 'GET',
  path: '/session',
  summary: 'Get the current session',
  access: 'signed-in',
  reply: SessionView,
  problems: [],
});

export const signOut = endpoint({
  method: 'DELETE',
  path: '/session',
  summary: 'Sign out',
  access: 'signed-in',
  reply: True,
  problems: ['session_not_found'],
});

export const listSessions = endpoint({
  method: 'GET',
  path: '/sessions',
  summary: 'List my sessions',
  access: 'signed-in',
  reply: Type.Array(SessionSummary),
  problems: [],
});

export const endSession = endpoint({
  method: 'DELETE',
  path: '/sessions/:session',
  summary: 'End one of my sessions',
  access: 'signed-in',
  reply: True,
  problems: ['session_not_found'],
});

export const changePassword = endpoint({
  method: 'POST',
  path: '/password',
  summary: 'Change my password',
  description: 'Ends all sessions of the user and starts a new one.',
  access: 'signed-in',
  body: PasswordChange,
  reply: SessionView,
  problems: ['password_wrong', 'password_weak', 'too_many_attempts', 'busy'],
});

export const changeName = endpoint({
  method: 'PUT',
  path: '/name',
  summary: 'Change my name',
  access: 'signed-in',
  body: NameChange,
  reply: User,
  problems: [],
});

export const getReminders = endpoint({
  method: 'GET',
  path: '/reminders',
  summary: 'Get which mails I want',
  access: 'signed-in',
  reply: Reminders,
  problems: [],
});

export const changeReminders = endpoint({
  method: 'PUT',
  path: '/reminders',
  summary: 'Choose which mails I want',
  access: 'signed-in',
  body: Reminders,
  reply: Reminders,
  problems: [],
});

export const listWatches = endpoint({
  method: 'GET',
  path: '/watches',
  summary: 'List the flags that I watch',
  description: 'By project and name, in projects that the user can see. All of them: there are at most 500.',
  access: 'signed-in',
  reply: Type.Array(WatchedFlag),
  problems: ['second_factor_required'],
});

export const watchFlag = endpoint({
  method: 'PUT',
  path: '/watches/:watchedFlag',
  summary: 'Watch a flag',
  description:
    'By its id. The user gets a mail about changes that others make to it, as chosen with `PUT /internal/account/reminders`. ' +
    'Only the user knows; the audit log has no entry.',
  access: 'signed-in',
  reply: True,
  problems: ['flag_not_found', 'too_many_watches', 'second_factor_required'],
});

export const unwatchFlag = endpoint({
  method: 'DELETE',
  path: '/watches/:watchedFlag',
  summary: 'Stop watching a flag',
  description: 'By its id. Returns `true` even if the user does not watch it.',
  access: 'signed-in',
  reply: True,
  problems: ['flag_not_found'],
});

export const requestPasswordReset = endpoint({
  method: 'POST',
  path: '/password-reset',
  summary: 'Request a password reset',
  description:
    'The response is the same whether or not the address is known, and is sent before it is looked up. An account gets at most three mails an hour, and none within five minutes of an open link.',
  access: 'public',
  body: ResetRequest,
  reply: True,
  problems: ['too_many_attempts', 'busy'],
});

export const getPasswordReset = endpoint({
  method: 'GET',
  path: '/password-reset/:token',
  summary: 'Get a password reset',
  access: 'public',
  reply: InvitationView,
  problems: ['reset_not_found', 'too_many_attempts'],
});

export const resetPassword = endpoint({
  method: 'POST',
  path: '/password-reset/:token',
  summary: 'Set a new password',
  description: 'Ends all sessions of the user.',
  access: 'public',
  body: Reset,
  reply: True,
  problems: ['reset_not_found', 'password_weak', 'too_many_attempts', 'busy'],
});

export const offerTwoFactor = endpoint({
  method: 'POST',
  path: '/2fa',
  summary: 'Start two-factor setup',
  description: 'Requires the password, so that a stolen session cannot lock its owner out.',
  access: 'signed-in',
  body: PasswordProof,
  reply: TwoFactorOffer,
  problems: ['password_wrong', 'two_factor_on', 'too_many_attempts', 'busy'],
});

export const confirmTwoFactor = endpoint({
  method: 'POST',
  path: '/2fa/confirm',
  summary: 'Turn on two-factor authentication',
  description: 'Returns ten recovery codes, which are shown only once.',
  access: 'signed-in',
  body: TwoFactorCode,
  reply: RecoveryCodes,
  problems: ['two_factor_not_offered', 'two_factor_code_wrong', 'too_many_attempts'],
});

export const removeTwoFactor = endpoint({
  method: 'DELETE',
  path: '/2fa',
  summary: 'Turn off two-factor authentication',
  access: 'signed-in',
  body: PasswordProof,
  reply: True,
  problems: ['password_wrong', 'second_factor_required', 'too_many_attempts', 'busy'],
});

export const getSetup = endpoint({
  method: 'GET',
  path: '/setup',
  summary: 'Get the setup state',
  description: 'With the token of a setup link: whether that link still works.',
  access: 'public',
  query: Type.Object({
    token: Type.Optional(Type.String({ maxLength: 100, description: 'From the setup link: 404 if it does not work' })),
  }),
  reply: SetupState,
  problems: ['setup_refused', 'too_many_attempts'],
});

export const completeSetup = endpoint({
  method: 'POST',
  path: '/setup',
  summary: 'Set up the first administrator',
  description: 'Requires the token from the link that the first start printed. Signs in.',
  access: 'public',
  body: Setup,
  reply: SessionView,
  problems: ['setup_refused', 'password_weak', 'user_email_taken', 'too_many_attempts', 'busy'],
});
