import { type permissions, permissionsOfPerson } from '#domain/access.ts';
import type * as accountsContract from '../accounts.ts';
import type * as apiKeysContract from '../api-keys.ts';
import type * as groupsContract from '../groups.ts';
import type * as liveContract from '../live.ts';
import type * as rightsContract from '../rights.ts';
import type * as usersContract from '../users.ts';
import { at, type ExamplesOf, ids, markerPage, page, replace } from './values.ts';

const mails = { cleanup: true, watched: 'daily' } as const;

const user = {
  id: ids.user,
  type: 'user',
  name: 'Ada',
  email: 'ada@example.com',
  status: 'ACTIVE',
  '2fa': false,
  groups: [{ id: ids.group, type: 'group' }],
} as const;

const invited = { ...user, name: 'ada', status: 'PENDING' } as const;
const group = { id: ids.group, name: 'Developers', description: 'Everybody who ships', type: 'group' } as const;
const keyShown = {
  organization: { type: 'Organization', id: ids.account },
  environments: [{ type: 'Environment', id: '<<GLOBAL>>' }],
  name: 'Continuous integration',
  createdBy: { type: 'user', id: ids.user },
  createdAt: at,
  apiKeyType: 'admin' as const,
  workspace: { type: 'workspace', id: ids.project },
  roles: ['API_FEATURE_FLAG_EDITOR'],
  type: 'api_key' as const,
  id: ids.key,
};

const keyListed = { ...keyShown, lastFour: 'x7Qe', lastUsedAt: at };
const session = {
  id: ids.session,
  user,
  administrator: false,
  permissions: [...permissionsOfPerson(false)] as (typeof permissions)[number][],
  projects: 'listed' as const,
  waiting: [],
  sendsMail: true,
  mustSetUpTwoFactor: false,
  createdAt: at,
};

const password = 'a long sentence nobody else uses';

export const peopleExamples: ExamplesOf<
  typeof usersContract &
    typeof groupsContract &
    typeof apiKeysContract &
    typeof accountsContract &
    typeof rightsContract &
    typeof liveContract
> = {
  inviteUser: { body: { email: user.email, groups: [] }, reply: { ...invited, groups: [] } },
  listUsers: { reply: markerPage({ ...user, groups: [...user.groups] }, 20) },
  getUser: { reply: { ...user, groups: [...user.groups] } },
  replaceUser: {
    body: { name: 'Ada', email: user.email, status: 'DEACTIVATED', '2fa': false, type: 'user' },
    reply: { ...user, status: 'DEACTIVATED', groups: [...user.groups] },
  },
  patchUser: { body: replace('/name', 'Ada'), reply: { ...user, groups: [...user.groups] } },
  deleteUser: { reply: true },

  listGroups: { reply: page(group, 50) },
  getGroup: { reply: group },
  createGroup: { body: { name: group.name, description: group.description }, reply: group },
  replaceGroup: { body: { name: group.name, description: group.description }, reply: group },
  deleteGroup: { reply: true },

  createApiKey: {
    body: {
      name: keyShown.name,
      apiKeyType: 'admin',
      workspace: { id: 'Default' },
      environments: [],
      roles: ['API_FEATURE_FLAG_EDITOR'],
    },
    reply: { ...keyShown, key: 'burgee_a_the-key-is-shown-only-here' },
  },
  listApiKeys: { reply: page(keyListed, 50) },
  getApiKey: { reply: keyListed },
  updateApiKey: { body: { name: 'Deploy' }, reply: { ...keyListed, name: 'Deploy' } },
  revokeApiKey: { reply: true },

  getInvitation: { reply: { email: user.email, name: 'ada', invitedBy: 'Ana Ruiz (ana@example.com)' } },
  acceptInvitation: { body: { name: 'Ada', password }, reply: { ...session, user: { ...user, groups: [] } } },
  resendInvitation: { reply: { ...invited, groups: [...user.groups] } },
  listOutbox: {
    reply: [
      {
        id: '019b76da-a800-7000-8000-000000000051',
        kind: 'invitation',
        email: user.email,
        path: '/invitation?token=Vb8nQ2yTz6LrWf4Xk1HsPd0c',
        createdAt: at,
        expiresAt: at + 604_800_000,
        attempts: 0,
      },
    ],
  },
  signIn: { body: { email: user.email, password }, reply: { ...session, user: { ...user, groups: [] } } },
  getSession: { reply: { ...session, user: { ...user, groups: [] } } },
  signOut: { reply: true },
  listSessions: {
    reply: [{ id: ids.session, current: true, address: '192.0.2.7', agent: 'Firefox', createdAt: at, lastSeenAt: at }],
  },
  endSession: { reply: true },
  changePassword: {
    body: { current: 'the sentence that was used so far', next: password },
    reply: { ...session, user: { ...user, groups: [] } },
  },
  changeName: { body: { name: 'Ada Lovelace' }, reply: { ...user, name: 'Ada Lovelace', groups: [...user.groups] } },
  getReminders: { reply: mails },
  changeReminders: { body: mails, reply: mails },
  listWatches: {
    reply: [
      {
        flag: { id: ids.flag, name: 'new_checkout' },
        project: { id: ids.project, name: 'Shop' },
        archived: false,
        since: at,
      },
    ],
  },
  watchFlag: { reply: true },
  unwatchFlag: { reply: true },
  requestPasswordReset: { body: { email: user.email }, reply: true },
  getPasswordReset: { reply: { email: user.email, name: 'Ada' } },
  resetPassword: { body: { password }, reply: true },
  offerTwoFactor: {
    body: { password },
    reply: { secret: 'JBSWY3DPEHPK3PXP', uri: 'otpauth://totp/Burgee:ada@example.com', qr: '<svg></svg>' },
  },
  confirmTwoFactor: { body: { code: '123456' }, reply: { recoveryCodes: ['4f9k-2m7q-x8tz'] } },
  removeTwoFactor: { body: { password }, reply: true },
  getSetup: { reply: { required: false } },
  completeSetup: {
    body: { token: 'Vb8nQ2yTz6LrWf4Xk1HsPd0c', email: user.email, name: 'Ada', password },
    reply: { ...session, administrator: true, projects: 'all', user: { ...user, groups: [] } },
  },

  listGrantedRights: {
    reply: page({ project: { id: ids.project, name: 'Default' }, right: 'edit' as const, alone: false }, 20),
  },
  announceEditing: { body: { editing: true }, reply: true },
  explainAccess: {
    reply: {
      ...page(
        {
          project: { id: ids.project, name: 'Default' },
          view: { may: true, reason: 'Everyone with an account can view this project.' },
          edit: { may: false, reason: 'Only Checkout can edit Default.' },
          ownersEdit: false,
          environments: [
            {
              id: ids.environment,
              name: 'Prod-Default',
              production: true,
              define: { may: false, reason: 'Only Checkout can edit Default.' },
              kill: { may: true, reason: 'Listed by name.' },
            },
          ],
        },
        20,
      ),
      user: { id: ids.user, name: 'ana', email: 'ana@example.com', status: 'ACTIVE' },
      administrator: false,
      groups: [],
      ask: 'Ask an administrator, for example Ana Ruiz.',
    },
  },
};
