// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are pieces of sources
/**
 * The rules of access that are no declarations: checks and conditions, each where it stands in the sources, and what
 * stands there when it is taken out.
 */
import { permissions } from '#domain/access.ts';
import { powersOfMember, ways } from './written-access.ts';

export interface WrittenMutation {
  readonly file: string;
  readonly from: string;
  readonly to: string;
  /** The endpoint to ask, or the permission whose endpoints to ask; `sessions` for what needs a session. */
  readonly at?: string;
}

type Rule = readonly [from: string, to: string, at?: string];

const everywhere = "{ kind: 'account' }";
const everybody = `({ ...actor, scope: ${everywhere} } as never)`;
const always = 'sql`1 = 1`';
const widths = (environment: number, project: number) =>
  `{ environment: ${environment}, project: ${project}, projects: 1, account: 2 }`;

/** What members may do: each permission taken from them, or given to them where it would open anything but the account. */
const ofMembers = permissions.flatMap((permission): Rule[] => {
  const has = powersOfMember.split(' ').includes(permission);
  if (!has && !new RegExp(` ${permission} (project|environment)$`, 'm').test(ways)) return [];
  const changed = has ? `member.filter((one) => one !== '${permission}')` : `[...member, '${permission}']`;
  return [['isAdministrator ? permissions : member', `isAdministrator ? permissions : ${changed}`, permission]];
});

const rules: Readonly<Record<string, readonly Rule[]>> = {
  'src/domain/access.ts': [
    ...ofMembers,
    ['isAdministrator ? permissions : member', 'permissions'],
    ['isAdministrator ? permissions : member', 'member'],
    ['actor.permissions.has(access.needs) && ', ''],
    [' && width[actor.scope.kind] >= width[access.scope]', ''],
    [widths(0, 1), widths(1, 1)],
    [widths(0, 1), widths(0, 2)],
    [
      "scope.kind === 'account' || projectIdsOf(scope).includes(projectId)",
      'scope.kind !== undefined || projectId !== ""',
    ],
    ["(actor.scope.kind !== 'environment' || actor.scope.environmentIds.includes(environment.id))", 'true'],
  ],
  'src/http/implement.ts': [["if (!allows(actor, access)) throw new Problem('forbidden');", '']],
  'src/http/authenticate.ts': [
    ["key?.type !== 'admin'", 'key === undefined'],
    ["if (!person) throw new Problem('unauthenticated');", ''],
    ['permissions: permissionsOf(key.roles)', "permissions: permissionsOf(['API_ALL_GRANTED'])"],
    ['scope: key.scope', `scope: ${everywhere}`],
    ['user.groupIds.includes(await findAdministratorsId(db))', '(await findAdministratorsId(db)) !== ""'],
  ],
  'src/http/answers.ts': [['`${key} ${url}`', '`${url}`', 'flags.getFlag']],
  'src/http/resolve.ts': [
    [' || !reachesProject(actor, project.id)', ''],
    [' || !reachesEnvironment(actor, environment)', ''],
    [' || !reachesProject(actor, trafficType.projectId)', ''],
  ],
  'src/http/routes/projects.ts': [['scope: actor.scope', `scope: ${everywhere}`]],
  'src/http/routes/environments.ts': [
    ['project.id, actor.scope', `project.id, ${everywhere}`, 'environments.listEnvironments'],
  ],
  'src/http/routes/users.ts': [
    ['scope: actor.scope', `scope: ${everywhere}`, 'users.listUsers'],
    ['words.user, actor.scope', `words.user, ${everywhere}`, 'users.getUser'],
  ],
  'src/http/routes/api-keys.ts': [
    ['listApiKeys(db, { scope,', `listApiKeys(db, { scope: ${everywhere},`, 'apiKeys.listApiKeys'],
    ['countApiKeys(db, scope)', `countApiKeys(db, ${everywhere})`, 'apiKeys.listApiKeys'],
    ['resolveProject(db, actor,', `resolveProject(db, ${everybody},`, 'apiKeys.createApiKey'],
  ],
  'src/http/routes/changes.ts': [['filter = { scope,', `filter = { scope: ${everywhere},`, 'changes.listChanges']],
  'src/http/routes/restrictions.ts': [
    ['resolveProject(db, actor, query', `resolveProject(db, ${everybody}, query`, 'restrictions.listRestrictions'],
    ['resolveProject(db, actor, body', `resolveProject(db, ${everybody}, body`, 'restrictions.replaceRestriction'],
  ],
  'src/http/routes/rollout-statuses.ts': [
    ['resolveProject(db, actor,', `resolveProject(db, ${everybody},`, 'rolloutStatuses.listRolloutStatuses'],
  ],
  'src/http/routes/traffic-types.ts': [
    ['resolveTrafficTypeById(db, actor,', `resolveTrafficTypeById(db, ${everybody},`, 'trafficTypes.deleteTrafficType'],
  ],
  'src/commands/api-keys.ts': [
    [
      "if (fields.scope.kind === 'account' && context.actor.scope.kind !== 'account') throw new Problem('scope_too_wide');",
      '',
      'apiKeys.createApiKey',
    ],
  ],
  'src/commands/restrictions.ts': [
    ["idsOf('user'), scope)", `idsOf('user'), ${everywhere})`, 'restrictions.replaceRestriction'],
  ],
  'src/store/scopes.ts': [
    ['sql`${column} in (${join([...ids])})`', always],
    ['sql`1 = 0`', always],
  ],
  'src/store/projects.ts': [['within(scope, sql`id`)', always, 'projects.listProjects']],
  'src/store/environments.ts': [
    ['environments where project_id = ${projectId} and (id', 'environments where (id'],
    [
      'environments where project_id = ${projectId} ${reached}',
      'environments where 1 = 1 ${reached}',
      'environments.listEnvironments',
    ],
    [
      'project_id = ${projectId} ${reached}',
      'project_id = ${projectId} ${reached.values.length === 0 ? reached : empty}',
      'environments.listEnvironments',
    ],
  ],
  'src/store/traffic-types.ts': [
    ['traffic_types where project_id = ${projectId} and (id', 'traffic_types where (id', 'flags.createFlag'],
    [
      'traffic_types where project_id = ${projectId} order by',
      'traffic_types where ${projectId} <> id order by',
      'trafficTypes.listTrafficTypes',
    ],
  ],
  'src/store/rollout-statuses.ts': [
    ['rollout_statuses where project_id = ${projectId} and id', 'rollout_statuses where id', 'flags.patchFlag'],
    [
      'rollout_statuses where project_id = ${projectId} order by position`',
      'rollout_statuses where ${projectId} <> id order by position`',
    ],
  ],
  'src/store/flags.ts': [
    ['from flags where project_id = ${projectId} and name = ${word}', 'from flags where name = ${word}'],
    ['from flags where project_id = ${projectId} and id = ${word}', 'from flags where id = ${word}'],
    ['? sql`f.project_id = ${projectId}`', '? sql`f.id <> ${projectId}`', 'flags.listFlags'],
    ['where t.project_id = ${projectId} and t.name', 'where t.name', 'flags.listFlags'],
    [
      'where id = ${rolloutStatusId} and project_id = ${projectId})',
      'where id = ${rolloutStatusId})',
      'flags.listFlags',
    ],
    [
      'from flags where project_id = ${projectId} and name in',
      'from flags where name in',
      'definitions.createDefinition',
    ],
  ],
  'src/store/definitions.ts': [
    [
      'from definitions where environment_id = ${environment.id}\n',
      'from definitions where environment_id <> ${environment.id}\n',
      'definitions.listDefinitions',
    ],
    [
      'from definitions where environment_id = ${environmentId}`',
      'from definitions where flag_id <> ${environmentId}`',
      'definitions.listDefinitions',
    ],
  ],
  'src/store/users.ts': [
    ['findWithGroups(db, id, withAccessTo(scope))', 'findWithGroups(db, id, scope ? empty : empty)', 'users.getUser'],
    ['${withAccessTo(filter.scope)}', '', 'users.listUsers'],
    [
      '${withAccessTo(scope)} order by u.id',
      '${scope ? empty : empty} order by u.id',
      'restrictions.replaceRestriction',
    ],
    [
      "where v.project_id = ${projectId} and v.viewer_type = 'user' and v.viewer_id = u.id",
      "where v.project_id = ${projectId} and v.viewer_type = 'user' and v.viewer_id = ''",
      'users.getUser',
    ],
    [
      "m.user_id = u.id and v.project_id = ${projectId} and v.viewer_type = 'group'",
      "m.user_id = u.id and v.project_id = ${projectId} and v.viewer_type = ''",
      'users.getUser',
    ],
    [
      "v.project_id = ${projectId} and v.viewer_type = 'user' and v.viewer_id = u.id",
      "v.project_id <> ${projectId} and v.viewer_type = 'user' and v.viewer_id = u.id",
      'users.getUser',
    ],
    [
      "v.project_id = ${projectId} and v.viewer_type = 'group'",
      "v.viewer_type = 'group' and v.project_id <> ${projectId}",
      'users.getUser',
    ],
    ['select id from projects where is_restricted = false', 'select id from projects'],
    ["where viewer_id = ${userId} and viewer_type = 'user'", "where viewer_type = 'user' and project_id <> ${userId}"],
    ["m.user_id = ${userId} and v.viewer_type = 'group'", "v.project_id <> ${userId} and v.viewer_type = 'group'"],
  ],
  'src/store/changes.ts': [
    ['const inProjects = within(scope, sql`project_id`);', `const inProjects = ${always};`, 'changes.listChanges'],
    [" and object_type <> 'api_key'", '', 'changes.listChanges'],
    [' and environment_id in (${join([...scope.environmentIds])})', '', 'changes.listChanges'],
  ],
  'src/store/api-keys.ts': [
    ['${within(scope, sql`project_id`)} order by', '1 = 1 order by', 'apiKeys.listApiKeys'],
    [
      'from api_keys where ${within(scope, sql`project_id`)}`',
      'from api_keys where ${scope ? sql`1 = 1` : empty}`',
      'apiKeys.listApiKeys',
    ],
  ],
  'src/store/sessions.ts': [
    ['where user_id = ${userId} and id = ${id}', 'where user_id <> ${id} and id = ${id}', 'sessions'],
  ],
};

export const ofSources: readonly WrittenMutation[] = Object.entries(rules).flatMap(([file, listed]) =>
  listed.map(([from, to, at]) => ({ file, from, to, ...(at === undefined ? {} : { at }) })),
);
