/** The first start: fills an empty database with what requests need. */

import { v7 as newId } from 'uuid';
import { type Actor, permissionsOf } from '#domain/access.ts';
import { administrators } from '#domain/groups.ts';
import type { Project } from '#domain/projects.ts';
import type { NewProjects } from '#domain/restrictions.ts';
import { hashOf, newToken, setupTokenOf } from '#security/secrets.ts';
import { findAccount, insertAccount, saveSetupToken } from '#store/account.ts';
import { insertEnvironment } from '#store/environments.ts';
import { insertGroup } from '#store/groups.ts';
import { type Store, UniqueViolation } from '#store/sql.ts';
import { insertNewKey } from './api-keys.ts';
import { contextFor, write } from './context.ts';
import { insertProjectWithDefaults } from './projects.ts';
import { restrictNewProjectIn } from './restrictions.ts';

export const system: Actor = {
  type: 'system',
  id: 'first-start',
  name: 'First start',
  permissions: permissionsOf(['API_ALL_GRANTED']),
  scope: { kind: 'account' },
};

/** What the first start created, shown once. */
export interface FirstStart {
  readonly adminKeyText: string;
  readonly setupToken: string;
}

export interface SetUpOptions {
  /** The admin key that the operator provided, if any. */
  readonly adminKeyText: string | undefined;
  /** Who may see and edit the first project; open if left out. */
  readonly newProjects?: NewProjects;
  readonly transactionId: string;
}

/** Creates the account. Returns undefined if there is one already. */
export async function setUp(
  store: Store,
  { adminKeyText, newProjects = 'open', transactionId }: SetUpOptions,
): Promise<FirstStart | undefined> {
  if (await findAccount(store)) return undefined;
  const made = write(contextFor(store, { actor: system, transactionId }), async (tx) => {
    const account = { id: newId(), markerSecret: newToken() };
    await insertAccount(tx, account);
    const project: Project = { id: newId(), type: 'workspace', name: 'Default', requiresTitleAndComments: false };
    await insertProjectWithDefaults(tx, project, ['user', 'account', 'anonymous']);
    const environment = { projectId: project.id, createdAt: tx.now };
    await insertEnvironment(tx, { ...environment, id: newId(), name: 'Prod-Default', production: true });
    await insertEnvironment(tx, { ...environment, id: newId(), name: 'Staging-Default', production: false });
    await insertGroup(tx, { ...administrators, id: newId(), type: 'group' });
    await restrictNewProjectIn(tx, project, newProjects);
    const { key, text } = await insertNewKey(
      tx,
      system,
      { name: 'First admin key', type: 'admin', roles: ['API_ALL_GRANTED'], scope: { kind: 'account' } },
      adminKeyText,
    );
    const setupToken = setupTokenOf(account);
    await saveSetupToken(tx, hashOf(setupToken));
    await tx.record({
      action: 'account.created',
      object: { type: 'account', id: account.id, name: 'Burgee' },
      after: { apiKeys: [key] },
    });
    return { adminKeyText: text, setupToken };
  });
  return made.catch((error: unknown) => {
    if (error instanceof UniqueViolation && error.constraint === 'account_single_key') return undefined;
    throw error;
  });
}
