/** Accounts to import, made by hand: every kind of object, in two environments. */
import type { SourceAccount, SourceDefinition, SourceFlag, SourceProject } from '#domain/import/source.ts';

/** When the account was used, so that its numbers are old. */
export const longAgo = 1_600_000_000_000;

export const aBody = (changes: Record<string, unknown> = {}) => ({
  treatments: [{ name: 'on', configurations: '{"color":"blue"}' }, { name: 'off' }],
  defaultTreatment: 'off',
  trafficAllocation: 100,
  rules: [],
  defaultRule: [
    { treatment: 'on', size: 30 },
    { treatment: 'off', size: 70 },
  ],
  ...changes,
});

let made = 0;

export function aSourceDefinition(environment: string, changes: Partial<SourceDefinition> = {}): SourceDefinition {
  made += 1;
  return {
    environment,
    body: aBody(),
    flagSets: [],
    seeds: { seed: 1_000 + made, trafficAllocationSeed: -made },
    algorithm: 2,
    changeNumber: longAgo + 10 * made,
    ...changes,
  };
}

export const aSourceFlag = (name: string, changes: Partial<SourceFlag> = {}): SourceFlag => ({
  name,
  description: `About ${name}`,
  trafficType: 'user',
  rolloutStatus: 'Ramping',
  tags: [],
  owners: [],
  creationTime: longAgo,
  definitions: [aSourceDefinition('Prod'), aSourceDefinition('Staging')],
  ...changes,
});

const depends = (splitName: string) => ({
  condition: { combiner: 'AND', matchers: [{ type: 'IN_SPLIT', depends: { splitName, treatments: ['on'] } }] },
  buckets: [{ treatment: 'on', size: 100 }],
});

const inSegment = (string: string) => ({
  condition: { combiner: 'AND', matchers: [{ type: 'IN_SEGMENT', string }] },
  buckets: [{ treatment: 'on', size: 100 }],
});

const keysOf = (keys: readonly string[]) =>
  async function* () {
    for (let start = 0; start < keys.length; start += 1_000) yield keys.slice(start, start + 1_000);
  };

export const withKeys = (keys: readonly string[], changeNumber: number) => ({
  changeNumber,
  keyCount: keys.length,
  keys: keysOf(keys),
});

export const aSourceProject = (name: string, changes: Partial<SourceProject> = {}): SourceProject => ({
  name,
  requiresTitleAndComments: true,
  environments: [
    {
      name: 'Prod',
      production: true,
      hasSeeds: true,
      editors: [
        { kind: 'group', name: 'Release' },
        { kind: 'user', name: 'Ana@example.com' },
        { kind: 'api_key', name: 'deploy' },
      ],
    },
    { name: 'Staging', production: false, hasSeeds: true },
  ],
  trafficTypes: [
    { name: 'user', displayAttributeId: undefined, attributes: [{ id: 'plan', dataType: 'string' }] },
    { name: 'account', displayAttributeId: 'name', attributes: [] },
  ],
  rolloutStatuses: ['Ramping', 'Our own'],
  flagSets: [{ name: 'backend', description: 'For servers' }],
  segments: [
    {
      kind: 'standard',
      name: 'beta',
      description: 'Testers',
      trafficType: 'user',
      tags: ['people'],
      environments: [
        { environment: 'Prod', ...withKeys(['ana', 'bo'], longAgo + 5) },
        { environment: 'Staging', ...withKeys([], longAgo + 6) },
      ],
    },
    {
      kind: 'large',
      name: 'everyone',
      description: '',
      trafficType: 'user',
      tags: [],
      environments: [{ environment: 'Prod', ...withKeys(['cy', 'di', '"quoted"'], longAgo + 7) }],
    },
    {
      kind: 'rule_based',
      name: 'paying',
      description: '',
      trafficType: 'user',
      tags: [],
      environments: [
        {
          environment: 'Prod',
          changeNumber: longAgo + 8,
          keyCount: undefined,
          definition: {
            rules: [{ condition: { matchers: [{ type: 'IN_LIST_STRING', attribute: 'plan', strings: ['pro'] }] } }],
            excludedKeys: ['eve'],
            excludedSegments: [{ name: 'everyone', type: 'standard_segment' }],
          },
        },
      ],
    },
  ],
  flags: [
    aSourceFlag('checkout', {
      tags: ['shop', 'money'],
      owners: [
        { kind: 'user', name: 'ana@example.com' },
        { kind: 'group', name: 'Release' },
        { kind: 'user', name: 'gone@example.com' },
      ],
      definitions: [
        // Depends on a flag that comes later, and has the older number.
        aSourceDefinition('Prod', {
          body: aBody({ rules: [depends('search'), inSegment('paying'), inSegment('beta')] }),
          flagSets: ['backend'],
          algorithm: 1,
        }),
        aSourceDefinition('Staging', { body: aBody({ killed: true }) }),
      ],
    }),
    aSourceFlag('search'),
    aSourceFlag('old_flag', { trafficType: 'account', rolloutStatus: 'Our own' }),
  ],
  viewers: [{ kind: 'group', name: 'Release' }],
  ...changes,
});

export const aSourceAccount = (changes: Partial<SourceAccount> = {}): SourceAccount => ({
  name: 'Split (api.split.io)',
  projects: [aSourceProject('Shop')],
  groups: [
    { name: 'Administrators', description: 'As at the source' },
    { name: 'Release', description: 'Who releases' },
  ],
  users: [
    { email: 'Ana@example.com', name: 'Ana', isActive: true, groups: ['Release', 'Administrators'] },
    { email: 'bo@example.com', name: 'Bo', isActive: false, groups: [] },
  ],
  unread: [],
  ...changes,
});

/** The account with one of the flags of its first project changed. */
export function withFlag(
  account: SourceAccount,
  name: string,
  change: (flag: SourceFlag) => SourceFlag,
): SourceAccount {
  const [project, ...others] = account.projects;
  if (!project) throw new Error('there is no project');
  const flags = project.flags.map((flag) => (flag.name === name ? change(flag) : flag));
  return { ...account, projects: [{ ...project, flags }, ...others] };
}
