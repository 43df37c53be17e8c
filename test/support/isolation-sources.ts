// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are pieces of sources
/**
 * Access rules that are code, not declarations: each check or condition as it occurs in the sources, and what replaces it
 * when the mutation test removes it.
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
  `{ environment: ${environment}, project: ${project}, member: 1, account: 2 }`;

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
  ],
  'src/http/pipeline/admit.ts': [
    ['if (!allows(actor, access)) throw await roleMissing(admission.db, actor, access);', ''],
  ],
  'src/http/pipeline/authenticate.ts': [
    ["key?.type !== 'admin'", 'key === undefined'],
    [
      "if (!person) throw new Problem('unauthenticated', { why: request.headers.authorization ? 'malformed' : 'none' });",
      '',
    ],
  ],
  'src/commands/actors.ts': [
    ['const permissions = permissionsOf(roles)', "const permissions = permissionsOf(roles && ['API_ALL_GRANTED'])"],
    ['isNarrowed ? { ...scope, viewerKeyId: id } : scope', `isNarrowed ? scope : ${everywhere}`],
    ['isNarrowed ? { ...scope, viewerKeyId: id } : scope', 'scope'],
    ["isAdministrator ? { kind: 'account' } : { kind: 'member', userId: id }", everywhere],
  ],
  'src/http/cache/responses.ts': [['`${keyHash} ${url} ', '`${url} ', 'flags.getFlag']],
  'src/http/pipeline/resolve.ts': [
    ['findProject(db, name, actor.scope)', `findProject(db, name, actor && ${everywhere})`],
    [
      'findEnvironment(db, project.id, name, actor.scope)',
      `findEnvironment(db, project.id, name, actor && ${everywhere})`,
    ],
    [' || !(await reaches(db, actor.scope, trafficType.projectId))', ''],
    [
      'findEnvironmentById(db, name, actor.scope)',
      `findEnvironmentById(db, name, actor && ${everywhere})`,
      'segments.listKeys',
    ],
    [' || !(await reaches(db, actor.scope, flagSet.projectId))', '', 'flagSets.getFlagSet'],
  ],
  'src/http/routes/projects.ts': [['scope: actor.scope', `scope: ${everywhere}`]],
  'src/http/routes/search.ts': [['const { scope } = actor;', `const scope = ${everywhere};`, 'search.search']],
  'src/http/routes/environments.ts': [
    ['project.id, actor.scope', `project.id, ${everywhere}`, 'environments.listEnvironments'],
  ],
  'src/http/routes/users.ts': [
    ['scope: actor.scope', `scope: ${everywhere}`, 'users.listUsers'],
    ['params.user, actor.scope', `params.user, ${everywhere}`, 'users.getUser'],
  ],
  'src/http/routes/api-keys.ts': [
    ['listApiKeys(db, { scope,', `listApiKeys(db, { scope: ${everywhere},`, 'apiKeys.listApiKeys'],
    ['countApiKeys(db, scope)', `countApiKeys(db, ${everywhere})`, 'apiKeys.listApiKeys'],
    ['params.key, scope)', `params.key, ${everywhere})`, 'apiKeys.getApiKey'],
    ['resolveProject(db, actor,', `resolveProject(db, ${everybody},`, 'apiKeys.createApiKey'],
  ],
  'src/http/routes/changes.ts': [
    ['ChangeSelection => ({ scope,', `ChangeSelection => ({ scope: ${everywhere},`, 'changes.listChanges'],
  ],
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
      "if (fields.scope.kind === 'account' && tx.actor.scope.kind !== 'account') throw new Problem('scope_too_wide');",
      '',
      'apiKeys.createApiKey',
    ],
  ],
  'src/commands/flags.ts': [
    ['missingOwners(tx, added, tx.actor.scope)', `missingOwners(tx, added, ${everywhere})`, 'flags.patchFlag'],
  ],
  'src/commands/restrictions.ts': [
    ["idsOf('user'), scope)", `idsOf('user'), ${everywhere})`, 'restrictions.replaceRestriction'],
  ],
  'src/store/scope-filter.ts': [
    ['sql`${column} = ${scope.projectId}`', always],
    ['scope.projectId === projectId', 'projectId !== ""'],
    ['(p.is_restricted = false or ', '(true or '],
    ['where v.project_id = p.id', "where v.project_id <> ''"],
    ['l.type = ${type} and l.id = ${id}', 'l.type = ${type} and l.id <> ${id}'],
    ["where m.user_id = ${id} and l.type = 'group'", "where m.user_id <> ${id} and l.type = 'group'"],
    [
      "scope.kind === 'environment' ? sql`${column} in (${join([...scope.environmentIds])})` : sql`1 = 1`",
      "scope.kind === 'environment' ? sql`${column} is not null` : sql`1 = 1`",
    ],
  ],
  'src/store/projects.ts': [
    [
      'const reached = scopeFilter(scope, sql`projects.id`)',
      `const reached = scope && ${always}`,
      'projects.listProjects',
    ],
  ],
  'src/store/search.ts': [
    ['where ${scopeFilter(scope, sql`projects.id`)}', 'where ${scope.kind} is not null', 'search.search'],
    ['environmentScopeFilter(scope, sql`o.id`)', 'sql`1 = 1`', 'search.search'],
  ],
  'src/store/environments.ts': [
    ['where project_id = ${projectId} and (id', 'where ${projectId} <> id and (id'],
    [
      'where project_id = ${projectId} and ${environmentScopeFilter(scope, sql`id`)} order',
      'where ${projectId} <> id and ${environmentScopeFilter(scope, sql`id`)} order',
      'environments.listEnvironments',
    ],
  ],
  'src/store/segments.ts': [
    ['where s.project_id = ${place.projectId} and s.name', 'where ${place.projectId} <> s.id and s.name'],
    [
      'sql`s.project_id = ${place.projectId} ${ofKind',
      'sql`s.id <> ${place.projectId} ${ofKind',
      'segments.listSegments',
    ],
    [
      'where e.environment_id = ${environmentId} and e.segment_id = s.id',
      'where ${environmentId} <> s.id and e.segment_id = s.id',
      'segments.listActiveSegments',
    ],
  ],
  'src/store/segment-keys.ts': [
    [
      'where environment_id = ${environmentId} and key = ${key} and',
      'where ${environmentId} <> key and key = ${key} and',
      'segments.listMemberships',
    ],
  ],
  'src/store/large-segments.ts': [
    [
      'where a.environment_id = ${environmentId} and s.kind',
      'where ${environmentId} <> s.id and s.kind',
      'largeSegments.listActiveLargeSegments',
    ],
    [
      'where s.environment_id = ${environmentId} and s.list_id is not null',
      'where ${environmentId} <> g.id and s.list_id is not null',
      'segments.listMemberships',
    ],
  ],
  'src/store/rule-based-segments.ts': [
    // One without the other would still list only what is active in the environment, or only the project's.
    [
      'e.environment_id = ${environment.id} and e.segment_id = s.id\n           join traffic_types t on t.id = s.traffic_type_id\n     where s.project_id = ${projectId} and',
      'e.segment_id = s.id\n           join traffic_types t on t.id = s.traffic_type_id\n     where s.id <> ${projectId} and',
      'ruleBasedSegments.listRuleBasedDefinitions',
    ],
  ],
  'src/store/change-requests.ts': [
    [
      'sql`c.operation_type is not null`,\n    isVisible(viewer),',
      'sql`c.operation_type is not null`,',
      'changeRequests.listChangeRequests',
    ],
  ],
  'src/store/changesets.ts': [
    ['  ${scopeFilter(scope, sql`c.project_id`)}\n  and not exists', '  not exists', 'changesets.getChangeset'],
  ],
  'src/http/routes/changesets.ts': [
    [
      'resolveProject(db, actor, workspace.id)',
      `resolveProject(db, ${everybody}, workspace.id)`,
      'changesets.createChangeset',
    ],
    [
      'resolveProject(db, actor, workspaceId)',
      `resolveProject(db, ${everybody}, workspaceId)`,
      'changesets.listChangesets',
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
  'src/store/attributes.ts': [
    [
      'from attributes where traffic_type_id = ${trafficTypeId} order by id',
      'from attributes where ${trafficTypeId} <> id order by id',
      'attributes.listAttributes',
    ],
  ],
  'src/store/flag-sets.ts': [
    [
      'from flag_sets where project_id = ${projectId} ${place}',
      'from flag_sets where ${projectId} <> id ${place}',
      'flagSets.listFlagSets',
    ],
  ],
  'src/store/views.ts': [
    [
      'project_id = ${projectId} and owner_id = ${ownerId} order by name',
      '${projectId} <> id and owner_id = ${ownerId} order by name',
      'views.listViews',
    ],
  ],
  'src/http/routes/flag-sets.ts': [
    ['resolveProject(db, actor, nameOrId)', `resolveProject(db, ${everybody}, nameOrId)`, 'flagSets.listFlagSets'],
    [
      'resolveProject(db, actor, workspace.id)',
      `resolveProject(db, ${everybody}, workspace.id)`,
      'flagSets.createFlagSet',
    ],
  ],
  'src/store/rollout-statuses.ts': [
    [
      'rollout_statuses s where s.project_id = ${projectId} order',
      'rollout_statuses s where ${projectId} <> s.id order',
      'rolloutStatuses.updateRolloutStatus',
    ],
    ['rollout_statuses where project_id = ${projectId} and id', 'rollout_statuses where id', 'flags.patchFlag'],
    [
      'rollout_statuses where project_id = ${projectId} order by position`',
      'rollout_statuses where ${projectId} <> id order by position`',
    ],
  ],
  'src/store/flags.ts': [
    ['from flags where project_id = ${projectId} and name = ${nameOrId}', 'from flags where name = ${nameOrId}'],
    ['from flags where project_id = ${projectId} and id = ${nameOrId}', 'from flags where id = ${nameOrId}'],
    ['? sql`f.project_id = ${projectId}`', '? sql`f.id <> ${projectId}`', 'flags.listFlags'],
    ['sql`t.project_id = ${projectId} and t.name', 'sql`t.flag_id <> ${projectId} and t.name', 'flags.listFlags'],
    [
      '     where project_id = ${projectId} and name in',
      '     where ${projectId} <> id and name in',
      'definitions.createDefinition',
    ],
  ],
  'src/store/flag-parts.ts': [
    ['  sql`f.project_id = ${projectId} and', '  sql`f.id <> ${projectId} and', 'flags.listFlags'],
    ['  sql`f.project_id = ${projectId} and', '  sql`f.id <> ${projectId} and', 'flags.countFlags'],
  ],
  'src/store/traffic.ts': [
    [
      'where t.environment_id = ${environmentId} and t.flag_id >',
      'where t.flag_id <> ${environmentId} and t.flag_id >',
      'traffic.getProjectTraffic',
    ],
  ],
  'src/store/definitions.ts': [
    [
      '  environment_id = ${environmentId} and flag_id',
      '  environment_id <> ${environmentId} and flag_id',
      'definitions.listDefinitions',
    ],
    [
      'where: sql`environment_id = ${environmentId}`',
      'where: sql`flag_id <> ${environmentId}`',
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
    ['where p.id = ${projectId} and ${isOpenTo(', 'where p.id <> ${projectId} and ${isOpenTo(', 'users.getUser'],
    ["isOpenTo({ type: 'user', id: sql`u.id` })", "isOpenTo({ type: 'user', id: sql`''` })", 'users.getUser'],
  ],
  'src/store/changes.ts': [
    [
      'const inProjects = scopeFilter(scope, sql`changes.project_id`);',
      `const inProjects = ${always};`,
      'changes.listChanges',
    ],
    [" and object_type <> 'api_key'", '', 'changes.listChanges'],
    [' and ${environmentScopeFilter(scope, sql`environment_id`)}', '', 'changes.listChanges'],
  ],
  'src/store/api-keys.ts': [
    ['${scopeFilter(scope, sql`api_keys.project_id`)} order by', '1 = 1 order by', 'apiKeys.listApiKeys'],
    [
      'from api_keys where ${scopeFilter(scope, sql`api_keys.project_id`)}`',
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
