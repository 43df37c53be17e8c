/** The data of a fake account of Split: made from a number, and the same for the same number. Tests may edit it. */
import type { Bucketing } from '#domain/bucketing.ts';
import type { Targeting } from '#domain/definitions/definition.ts';
import { type Matcher, type MatcherType, matcherTypes } from '#domain/definitions/matchers.ts';
import type { SegmentRules } from '#domain/rule-based-segments.ts';
import type { SegmentKind } from '#domain/segments.ts';
import { type Chance, chanceOf } from './chance.ts';
import { matcherOfType, sharesOf } from './random-worlds.ts';

export interface Size {
  readonly seed: number;
  readonly projects: number;
  /** In each project. Matcher types take turns, so 25 have them all. */
  readonly flags: number;
  /** Of each kind, in each project. */
  readonly segments: number;
  /** In each segment. */
  readonly keys: number;
  readonly users: number;
}

export interface VendorDefinition extends Bucketing {
  targeting: Targeting;
  changeNumber: number;
  /** What only SDKs are told in the vendor's way. */
  prerequisites: { n: string; ts: string[] }[];
}

export interface VendorFlag {
  readonly id: string;
  readonly name: string;
  description: string | null;
  tags: { name: string }[] | null;
  owners: { id: string; type: 'user' | 'group' }[];
  rolloutStatus: { id: string; name: string };
  readonly creationTime: number;
  /** By the environment's name. */
  readonly definitions: Map<string, VendorDefinition>;
}

export interface VendorActivation {
  keys: Set<string>;
  rules: SegmentRules;
  changeNumber: number;
}

export interface VendorSegment {
  readonly kind: SegmentKind;
  readonly name: string;
  description: string | null;
  tags: { name: string }[] | null;
  /** By the environment's name. */
  readonly active: Map<string, VendorActivation>;
}

export interface VendorEnvironment {
  readonly id: string;
  readonly name: string;
  readonly production: boolean;
  readonly serverKey: string;
  readonly clientKey: string;
}

export interface VendorProject {
  readonly id: string;
  readonly name: string;
  readonly requiresTitleAndComments: boolean;
  readonly environments: VendorEnvironment[];
  readonly trafficType: { id: string; name: string };
  readonly attributes: Record<string, unknown>[];
  readonly statuses: { id: string; name: string; description: string }[];
  readonly flagSets: { id: string; name: string; description: string }[];
  readonly flags: VendorFlag[];
  readonly segments: VendorSegment[];
  /** Ids of groups and users. Everyone if undefined. */
  viewers: { id: string; name: string; type: string }[] | undefined;
}

export interface VendorUser {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly status: 'ACTIVE' | 'PENDING' | 'DEACTIVATED';
  readonly groups: string[];
}

export interface VendorAccount {
  readonly projects: VendorProject[];
  readonly groups: { id: string; name: string; description: string }[];
  readonly users: VendorUser[];
  /** The number of the next change. */
  nextNumber: () => number;
}

export function vendorAccountOf(size: Size): VendorAccount {
  const chance = chanceOf(size.seed);
  const idOf = () => `${hex(chance)}-9668-11ec-834a-${hex(chance)}1212`;
  let number = 1_700_000_000_000;
  const nextNumber = () => (number += 1_000);
  const groups = ['Administrators', 'Mobile team', 'Support'].map((name) => ({
    id: idOf(),
    name,
    description: `${name} of the account`,
  }));
  const users = Array.from(
    { length: size.users },
    (_, index): VendorUser => ({
      id: idOf(),
      email: `person${index}@example.com`,
      name: `Person ${index}`,
      status: index % 7 === 5 ? 'PENDING' : index % 7 === 6 ? 'DEACTIVATED' : 'ACTIVE',
      groups: chance.someOf(groups, 2).map(({ id }) => id),
    }),
  );
  const shared = { size, chance, idOf, nextNumber, users, groups };
  const projects = Array.from({ length: size.projects }, (_, index) => projectOf(shared, index));
  return { projects, groups, users, nextNumber };
}

const hex = (chance: Chance): string =>
  chance
    .integer(0, 2 ** 32 - 1)
    .toString(16)
    .padStart(8, '0');

interface Shared extends Pick<VendorAccount, 'users' | 'groups' | 'nextNumber'> {
  readonly size: Size;
  readonly chance: Chance;
  readonly idOf: () => string;
}

const projectNames = ['Default', 'Checkout', 'Search', 'Mobile'];
const sets = ['backend', 'frontend', 'mobile_1'];
const statuses = ['Pre-Production', 'Ramping', '100% Released', 'Killed', 'Our own status'];

function projectOf(shared: Shared, index: number): VendorProject {
  const { size, chance, idOf } = shared;
  const environments = ['Production', 'Staging'].map((name) => ({
    id: idOf(),
    name,
    production: name === 'Production',
    serverKey: `server-${hex(chance)}`,
    clientKey: `client-${hex(chance)}`,
  }));
  const named = (name: string) => ({ id: idOf(), name, description: `About ${name}` });
  const project: VendorProject = {
    id: idOf(),
    name: projectNames[index] ?? `Project ${index}`,
    requiresTitleAndComments: index === 1,
    environments,
    trafficType: { id: index === 0 ? 'u' : idOf(), name: 'user' },
    attributes: ['plan', 'age', 'tags'].map((id) => ({
      id,
      displayName: id.toUpperCase(),
      description: null,
      dataType: id === 'age' ? 'number' : null,
      isSearchable: false,
      suggestedValues: id === 'plan' ? ['free', 'pro'] : [],
    })),
    statuses: statuses.map(named),
    flagSets: sets.map(named),
    flags: [],
    segments: [],
    viewers: index === 1 ? viewersOf(shared) : undefined,
  };
  for (const kind of ['standard', 'large', 'rule_based'] as const) {
    for (let at = 0; at < size.segments; at += 1) project.segments.push(segmentOf(shared, project, { kind, at }));
  }
  for (let at = 0; at < size.flags; at += 1) project.flags.push(flagOf(shared, project, at));
  return project;
}

const viewersOf = ({ groups, users }: Shared) => [
  ...groups.slice(0, 1).map(({ id, name }) => ({ id, name, type: 'group' })),
  ...users.slice(0, 2).map(({ id, name }) => ({ id, name, type: 'user' })),
  { id: 'k1', name: 'deploy key', type: 'api_key' },
];

const maybeTags = (chance: Chance) =>
  chance.odds(0.5) ? null : [{ name: 'web' }, { name: `tag ${chance.integer(1, 9)}` }];

function segmentOf(
  { size, chance, nextNumber }: Shared,
  { environments, segments }: VendorProject,
  { kind, at }: { kind: SegmentKind; at: number },
): VendorSegment {
  const earlier = segments.filter((segment) => segment.kind !== 'rule_based').map(({ name }) => name);
  // One segment of each kind is active nowhere.
  const active = at === 1 ? [] : environments;
  return {
    kind,
    name: `${kind}_${at}`,
    description: chance.odds(0.5) ? null : `Keys that matter ${at}`,
    tags: maybeTags(chance),
    active: new Map(
      active.map(({ name }): [string, VendorActivation] => [
        name,
        {
          keys: new Set(kind === 'rule_based' ? [] : Array.from({ length: size.keys }, () => `key-${hex(chance)}`)),
          rules: {
            rules: [
              {
                condition: {
                  combiner: 'AND',
                  matchers: [matcherOf(chance, matcherTypes[at % 19] ?? 'BOOLEAN', { flags: [], segments: earlier })],
                },
              },
            ],
            excludedKeys: [`banned-${at}`],
            excludedSegments: earlier.slice(0, 1).map((segment) => ({ name: segment, type: 'standard_segment' })),
          },
          changeNumber: nextNumber(),
        },
      ]),
    ),
  };
}

/** The vendor has whole numbers that an SDK in Go can read, and no empty texts. */
function matcherOf(chance: Chance, type: MatcherType, names: { flags: string[]; segments: string[] }): Matcher {
  const possible = type === 'IN_SPLIT' && names.flags.length === 0 ? 'IN_LIST_STRING' : type;
  const usable = possible === 'IN_SEGMENT' && names.segments.length === 0 ? 'IN_LIST_STRING' : possible;
  return matcherOfType(chance, usable, names);
}

const treatments = ['on', 'off', 'v3'];

function flagOf(shared: Shared, project: VendorProject, at: number): VendorFlag {
  const { chance, idOf, nextNumber, users, groups } = shared;
  const owners = [
    ...users.slice(at % 5, (at % 5) + 1).map(({ id }) => ({ id, type: 'user' as const })),
    ...(at % 3 === 0 ? groups.slice(1, 2).map(({ id }) => ({ id, type: 'group' as const })) : []),
  ];
  const { id, name } = chance.oneOf(project.statuses);
  return {
    id: idOf(),
    name: `flag_${at}`,
    description: chance.odds(0.3) ? null : `What flag ${at} does`,
    tags: maybeTags(chance),
    owners,
    rolloutStatus: { id, name },
    creationTime: nextNumber(),
    definitions: new Map(
      project.environments
        // Some are defined in one environment only.
        .filter(({ production }) => !production || at % 10 !== 9)
        .map((environment) => [environment.name, definitionOf(shared, project, at)]),
    ),
  };
}

/** Random, without what one environment or flag repeats of another: an SDK key of the wrong one can be noticed. */
export function definitionOf(
  { chance, nextNumber }: Pick<Shared, 'chance' | 'nextNumber'>,
  { flags, segments, flagSets }: VendorProject,
  at: number,
): VendorDefinition {
  const chosen = treatments.slice(0, chance.integer(2, 3));
  const names = { flags: flags.map(({ name }) => name), segments: segments.map(({ name }) => name) };
  const type = matcherTypes[at % matcherTypes.length] ?? 'BOOLEAN';
  const seedOf = () => chance.integer(-(2 ** 31), 2 ** 31 - 1);
  return {
    seed: seedOf(),
    trafficAllocationSeed: seedOf(),
    algo: at % 4 === 3 ? 1 : 2,
    changeNumber: nextNumber(),
    prerequisites: [],
    targeting: {
      killed: at % 11 === 10,
      treatments: chosen.map((name, index) => ({
        name,
        ...(index === 0 ? { configurations: '{"color":"blue"}', description: 'The new way' } : {}),
        ...(index === 1 && at % 2 === 0 ? { keys: [`vip-${at}`] } : {}),
        ...(index === 0 && at % 3 === 0 ? { segments: names.segments.slice(0, 1) } : {}),
      })),
      defaultTreatment: 'off',
      baselineTreatment: chance.oneOf(chosen),
      trafficAllocation: at % 5 === 4 ? chance.integer(1, 99) : 100,
      rules: [
        {
          buckets: sharesOf(chance, chosen),
          condition: { combiner: 'AND', matchers: [matcherOf(chance, type, names)] },
        },
      ],
      defaultRule: sharesOf(chance, chosen),
      impressionsDisabled: at % 13 === 12,
      ...(at % 2 === 0 ? { flagSets: flagSets.slice(0, 2).map(({ id }) => ({ id, type: 'flag_set' as const })) } : {}),
    },
  };
}
