import { type Command, Option } from 'commander';
import { createApiKey, revokeApiKey } from '#commands/api-keys.ts';
import { type KeyScope, type Role, roleNames } from '#domain/access.ts';
import { type ApiKey, type ApiKeyType, apiKeyTypes, NewApiKey, rolesOf } from '#domain/api-keys.ts';
import { OperatorError } from '#domain/operator.ts';
import { Problem, refuse } from '#domain/problems.ts';
import { shapeOf } from '#domain/shapes.ts';
import { listApiKeys } from '#store/api-keys.ts';
import { findEnvironment } from '#store/environments.ts';
import { findProject } from '#store/projects.ts';
import { listPlaceNames } from '#store/scope-filter.ts';
import type { Reader } from '#store/sql.ts';
import { withStore } from './store.ts';
import { printTable } from './table.ts';

interface CreateOptions {
  readonly name: string;
  readonly type: ApiKeyType;
  readonly project?: string;
  readonly environment: string[];
  readonly role: Role[];
}

const collect = (value: string, earlier: string[]) => [...earlier, value];

export function addKeyCommands(program: Command): void {
  const keys = program.command('keys').description('create, list and revoke API keys; works while the server runs');
  keys
    .command('create')
    .description('create a key and print it once')
    .requiredOption('--name <name>', 'what the key is for')
    .addOption(new Option('--type <type>', 'kind of key').choices(apiKeyTypes).default('admin'))
    .option('--project <project>', 'restrict the key to this project (name or id)')
    .addOption(
      new Option('--environment <environment>', 'restrict it to this environment (name or id); repeatable')
        .argParser(collect)
        .default([], 'all'),
    )
    .addOption(
      new Option('--role <role>', 'what the key may do; repeatable')
        .argParser(parseRole)
        .default([], 'API_ALL_GRANTED'),
    )
    .action((options: CreateOptions) => create(options));
  keys.command('list').description('list the keys, without their secrets').action(list);
  keys
    .command('revoke')
    .description('revoke a key at once')
    .argument('<id>', 'id of the key, or the key itself')
    .action(revoke);
}

function parseRole(value: string, earlier: string[]): string[] {
  if (!(roleNames as string[]).includes(value))
    throw new OperatorError(`--role must be one of ${roleNames.join(', ')}`);
  return collect(value, earlier);
}

const create = ({ name, type, project, environment, role }: CreateOptions) =>
  withStore(async ({ store, context }) => {
    refuse('api_key_invalid', shapeOf(NewApiKey).complaints({ name, apiKeyType: type, roles: role }));
    const scope = await scopeOf(store, project, environment);
    const roles = rolesOf({ apiKeyType: type, roles: role });
    const { key, text } = await createApiKey(context, { name, type, roles, scope });
    process.stdout.write(`${text}\n`);
    process.stderr.write(`Key ${key.name} has the id ${key.id}. The key is shown only once.\n`);
  });

const list = () =>
  withStore(async ({ store }) => {
    const keys = await listApiKeys(store, { scope: { kind: 'account' }, offset: 0, limit: Number.MAX_SAFE_INTEGER });
    const names = await listPlaceNames(store);
    printTable(
      ['id', 'name', 'type', 'ends with', 'roles', 'scope', 'last used', 'expires'],
      keys.map((key) => toRow(key, names)),
    );
  });

const revoke = (nameOrId: string) =>
  withStore(async ({ context }) => {
    await revokeApiKey(context, nameOrId);
    process.stdout.write('Revoked.\n');
  });

async function scopeOf(
  db: Reader,
  projectParam: string | undefined,
  environmentNames: readonly string[],
): Promise<KeyScope> {
  if (projectParam === undefined) {
    if (environmentNames.length > 0) throw new OperatorError('--environment needs --project');
    return { kind: 'account' };
  }
  const project = await findProject(db, projectParam, { kind: 'account' });
  if (!project) throw new Problem('project_not_found', { nameOrId: projectParam });
  const environmentIds: string[] = [];
  for (const nameOrId of new Set(environmentNames)) {
    const environment = await findEnvironment(db, project.id, nameOrId, { kind: 'account' });
    if (!environment) throw new Problem('environment_not_found', { nameOrId });
    if (!environmentIds.includes(environment.id)) environmentIds.push(environment.id);
  }
  return environmentIds.length > 0
    ? { kind: 'environment', projectId: project.id, environmentIds }
    : { kind: 'project', projectId: project.id };
}

const toRow = (
  { id, name, type, lastFour, roles, scope, lastUsedAt, expiresAt }: ApiKey,
  names: ReadonlyMap<string, string>,
): string[] => [
  id,
  name,
  type,
  lastFour,
  roles.join(' '),
  placesOf(scope)
    .map((place) => names.get(place) ?? place)
    .join(', ') || 'account',
  lastUsedAt === undefined ? 'never' : new Date(lastUsedAt).toISOString(),
  expiresAt === undefined ? 'never' : new Date(expiresAt).toISOString(),
];

const placesOf = (scope: KeyScope): string[] => {
  if (scope.kind === 'account') return [];
  return scope.kind === 'project' ? [scope.projectId] : [scope.projectId, ...scope.environmentIds];
};
