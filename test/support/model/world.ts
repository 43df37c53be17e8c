/**
 * The whole account as the model keeps it: plain data, small enough to copy. Ids are unknown until the server says
 * them; until then, and in everything that is expected, a thing goes by its mark, a text that begins with `@`.
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
  /** Of the last change of a definition here. */
  changeNumber: number;
}
export interface TrafficType {
  readonly mark: string;
  readonly name: string;
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
 * What the first start makes, and what is furnished after it: a flag with a definition, a project in which nothing is,
 * a group, a user.
 */
export function firstWorld(startedAt: number, furnishedAt: number): World {
  const types = ['user', 'account', 'anonymous'].map((name) => ({ mark: `@project.${name}`, name }));
  const made = { createdAt: startedAt, changeNumber: startedAt };
  const definition: Definition = {
    ...{ environment: '@staging', createdAt: furnishedAt, updatedAt: furnishedAt, revision: furnishedAt },
    ...{ killed: false, fallback: 'off', allocation: 100, share: 30, keys: [], needs: undefined },
  };
  const flag: Flag = {
    ...{ mark: '@f1', name: 'f1', type: types[0] as TrafficType, createdAt: furnishedAt, description: '', tags: [] },
    ...{ status: 0, statusAt: furnishedAt, revision: furnishedAt, definitions: [definition] },
  };
  const project: Project = {
    ...{ mark: '@project', name: 'Default', requiresNote: false, restricted: false, viewers: [], flags: [flag] },
    environments: [
      { mark: '@prod', name: 'Prod-Default', production: true, ...made },
      { mark: '@staging', name: 'Staging-Default', production: false, ...made, changeNumber: furnishedAt },
    ],
    trafficTypes: types,
  };
  const empty: Project = {
    ...{ mark: '@p2', name: 'p2', requiresNote: false, restricted: false, viewers: [] },
    ...{ flags: [], environments: [], trafficTypes: [] },
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
        ...{ mark: '@key', name: 'First admin key', type: 'admin', createdAt: startedAt },
        ...{ project: undefined, environment: undefined },
      },
    ],
  };
}
