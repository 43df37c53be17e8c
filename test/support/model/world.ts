/**
 * The whole account as the model keeps it: plain data, small enough to copy. Ids are unknown until the server says
 * them; until then, and in everything that is expected, an object is named by its mark, a text that begins with `@`.
 */

export interface World {
  /** The clock of the database. */
  now: number;
  readonly projects: Project[];
  readonly groups: Group[];
  readonly users: User[];
  readonly keys: Key[];
}

export interface Project {
  readonly mark: string;
  name: string;
  requiresNote: boolean;
  restricted: boolean;
  viewers: Viewer[];
  readonly environments: Environment[];
  readonly trafficTypes: TrafficType[];
  readonly flags: Flag[];
  readonly segments: Segment[];
  readonly flagSets: FlagSet[];
}
export interface Viewer {
  readonly type: 'user' | 'group';
  readonly mark: string;
}
export interface Environment {
  readonly mark: string;
  name: string;
  production: boolean;
  readonly createdAt: number;
  /** Of the last change of a definition or a segment here. */
  changeNumber: number;
  /** Of all segments that were ever active here, newest first. */
  readonly keyChanges: KeyChange[];
}
export interface KeyChange {
  readonly segment: string;
  readonly at: number;
  readonly keyCount: number;
  readonly added: number;
  readonly removed: number;
}
export interface TrafficType {
  readonly mark: string;
  readonly name: string;
  readonly attributes: Attribute[];
}
export interface Attribute {
  readonly id: string;
  description: string;
}
export interface Segment {
  readonly mark: string;
  readonly kind: 'standard' | 'rule_based';
  readonly name: string;
  readonly type: TrafficType;
  readonly createdAt: number;
  tags: string[];
  readonly active: Activation[];
}
/** Where a segment is active. */
export interface Activation {
  readonly environment: string;
  readonly createdAt: number;
  updatedAt: number;
  changeNumber: number;
  /** Of a standard segment, with the numbers of the changes that added them. */
  keys: { readonly key: string; readonly since: number }[];
  /** The segment that the only rule of a rule-based one names. */
  needs: string | undefined;
  excluded: string[];
}
export interface FlagSet {
  readonly mark: string;
  readonly name: string;
  readonly createdAt: number;
}
export interface Flag {
  readonly mark: string;
  readonly name: string;
  readonly type: TrafficType;
  readonly createdAt: number;
  description: string;
  tags: string[];
  /** The place of the rollout status in the project's list. */
  status: number;
  statusAt: number;
  revision: number;
  readonly definitions: Definition[];
}
/** Always with the treatments `on` and `off`; what is left can be changed. */
export interface Definition {
  readonly environment: string;
  readonly createdAt: number;
  updatedAt: number;
  revision: number;
  killed: boolean;
  fallback: 'on' | 'off';
  allocation: number;
  /** Percent that get `on`. */
  share: number;
  /** Keys that get `on` whatever the rules say. */
  keys: string[];
  /** The flag whose treatment the only rule asks for. */
  needs: string | undefined;
}
export interface Group {
  readonly mark: string;
  name: string;
  description: string;
}
export interface User {
  readonly mark: string;
  email: string;
  name: string;
  status: 'PENDING' | 'ACTIVE' | 'DEACTIVATED';
  groups: string[];
}
export interface Key {
  readonly mark: string;
  readonly name: string;
  readonly type: 'admin' | 'server_side' | 'client_side';
  readonly project: string | undefined;
  readonly environment: string | undefined;
  readonly createdAt: number;
}

export const statusNames = [
  'Pre-Production',
  '0% in Production',
  'Killed',
  'Internal Testing',
  'External Beta',
  'Ramping',
  'Experimenting',
  '100% Released',
  'Removed from Code',
  'Permanent',
];

/**
 * What the first start makes, and what is furnished after it: a flag with a definition, a segment with a key, a
 * rule-based one, a project in which nothing is, a group, a user.
 */
export function firstWorld(startedAt: number, furnishedAt: number): World {
  const types = ['user', 'account', 'anonymous'].map((name) => ({ mark: `@project.${name}`, name, attributes: [] }));
  const made = () => ({ createdAt: startedAt, changeNumber: startedAt, keyChanges: [] });
  const definition: Definition = {
    environment: '@staging',
    createdAt: furnishedAt,
    updatedAt: furnishedAt,
    revision: furnishedAt,
    killed: false,
    fallback: 'off',
    allocation: 100,
    share: 30,
    keys: [],
    needs: undefined,
  };
  const flag: Flag = {
    mark: '@f1',
    name: 'f1',
    type: types[0] as TrafficType,
    createdAt: furnishedAt,
    description: '',
    tags: [],
    status: 0,
    statusAt: furnishedAt,
    revision: furnishedAt,
    definitions: [definition],
  };
  const segment = (kind: Segment['kind'], name: string, changeNumber: number, keys: string[]): Segment => ({
    mark: `@${name}`,
    kind,
    name,
    type: types[0] as TrafficType,
    createdAt: furnishedAt,
    tags: [],
    active: [
      {
        environment: '@staging',
        createdAt: furnishedAt,
        updatedAt: furnishedAt,
        changeNumber,
        keys: keys.map((key) => ({ key, since: changeNumber })),
        needs: undefined,
        excluded: [],
      },
    ],
  });
  // Each change in staging took a number: the definition, and three of the segments.
  const [keysAt, lastAt] = [furnishedAt + 2, furnishedAt + 3];
  const keyChange = { segment: 's1', at: keysAt, keyCount: 1, added: 1, removed: 0 };
  const project: Project = {
    mark: '@project',
    name: 'Default',
    requiresNote: false,
    restricted: false,
    viewers: [],
    flags: [flag],
    segments: [segment('standard', 's1', keysAt, ['ana']), segment('rule_based', 'r1', lastAt, [])],
    flagSets: [],
    environments: [
      { mark: '@prod', name: 'Prod-Default', production: true, ...made() },
      {
        mark: '@staging',
        name: 'Staging-Default',
        production: false,
        ...made(),
        changeNumber: lastAt,
        keyChanges: [keyChange],
      },
    ],
    trafficTypes: types,
  };
  const empty: Project = {
    mark: '@p2',
    name: 'p2',
    requiresNote: false,
    restricted: false,
    viewers: [],
    flags: [],
    environments: [],
    trafficTypes: [],
    segments: [],
    flagSets: [],
  };
  const description = 'Grants access to advanced administrative features';
  return {
    now: furnishedAt,
    projects: [project, empty],
    groups: [
      { mark: '@administrators', name: 'Administrators', description },
      { mark: '@g1', name: 'g1', description: '' },
    ],
    users: [{ mark: '@u1', email: 'u1@example.com', name: 'u1', status: 'PENDING', groups: [] }],
    keys: [
      {
        mark: '@key',
        name: 'First admin key',
        type: 'admin',
        createdAt: startedAt,
        project: undefined,
        environment: undefined,
      },
    ],
  };
}
