/**
 * Permissions. Endpoints name the permission that they need, roles are sets of permissions, and an actor has roles
 * within a scope.
 */

export const permissions = [
  'project.read',
  'project.create',
  'project.write',
  'environment.write',
  'trafficType.write',
  'identity.read',
  'identity.write',
  'restriction.write',
  'rolloutStatus.read',
  'flag.read',
  'flag.write',
  'definition.read',
  'definition.write',
  'definition.kill',
  'segment.read',
  'segment.write',
  'segmentContent.write',
  'changeset.read',
  'changeset.write',
  'user.read',
  'user.write',
  'group.read',
  'group.write',
  'apiKey.read',
  'apiKey.write',
  'audit.read',
  'import.write',
  'server.write',
] as const;
export type Permission = (typeof permissions)[number];

/**
 * Every role can list the projects, environments and traffic types of its scope, because all other calls need their
 * ids.
 */
const projectAdmin = [
  'project.read',
  'project.write',
  'environment.write',
  'trafficType.write',
  'identity.read',
  'identity.write',
  'restriction.write',
  'rolloutStatus.read',
  'audit.read',
] as const;
const segmentViewer = ['project.read', 'segment.read', 'changeset.read'] as const;
const flagViewer = ['project.read', 'rolloutStatus.read', 'flag.read', 'definition.read', 'changeset.read'] as const;

export const roles = {
  API_ALL_GRANTED: permissions,
  API_APIKEY: ['project.read', 'apiKey.read', 'apiKey.write'],
  API_ADMIN: [...projectAdmin, 'project.create', 'user.read', 'user.write', 'group.read', 'group.write'],
  API_WORKSPACE_ADMIN: projectAdmin,
  API_FEATURE_FLAG_VIEWER: flagViewer,
  API_FEATURE_FLAG_EDITOR: [...flagViewer, 'flag.write', 'definition.write', 'definition.kill', 'changeset.write'],
  API_SEGMENT_VIEWER: segmentViewer,
  API_SEGMENT_EDITOR: [...segmentViewer, 'segment.write', 'segmentContent.write', 'changeset.write'],
} as const satisfies Record<string, readonly Permission[]>;
export type Role = keyof typeof roles;
export const roleNames = Object.keys(roles) as Role[];

/** The roles of keys that have a permission. */
export const rolesWith = (permission: Permission): Role[] =>
  roleNames.filter((name) => (roles[name] as readonly Permission[]).includes(permission));

/** What a signed-in person who is not an administrator may do, where the project's access lists allow it (`rights.ts`). */
const member = [
  'project.read',
  'identity.read',
  'rolloutStatus.read',
  'flag.read',
  'flag.write',
  'definition.read',
  'definition.write',
  'definition.kill',
  'segment.read',
  'segment.write',
  'segmentContent.write',
  'changeset.read',
  'changeset.write',
  'user.read',
  'group.read',
  'audit.read',
] as const satisfies readonly Permission[];

export const permissionsOfPerson = (isAdministrator: boolean): ReadonlySet<Permission> =>
  new Set<Permission>(isAdministrator ? permissions : member);

/** The part of the account that an actor reaches. */
export type Scope =
  /** With `viewerKeyId`: without restricted projects that do not list this key. */
  | { readonly kind: 'account'; readonly viewerKeyId?: string }
  /**
   * The projects that this person may see. The database decides which; there may be any number, and they may change.
   */
  | { readonly kind: 'member'; readonly userId: string }
  | { readonly kind: 'project'; readonly projectId: string }
  | { readonly kind: 'environment'; readonly projectId: string; readonly environmentIds: readonly string[] };

/** What a key can be restricted to. */
export type KeyScope = Exclude<Scope, { kind: 'member' }>;

/** A key, a person (signed in or not), an operator at the command line, or the first start. */
export interface Actor {
  readonly type: 'api_key' | 'user' | 'anonymous' | 'operator' | 'system';
  readonly id: string;
  readonly name: string;
  readonly permissions: ReadonlySet<Permission>;
  readonly scope: Scope;
  /** For a person: the current session. */
  readonly sessionId?: string;
}

/** What an endpoint requires: a permission, and the narrowest scope that may use it. */
export interface Access {
  readonly needs: Permission;
  readonly scope: 'account' | 'project' | 'environment';
}

export const permissionsOf = (names: readonly Role[]): ReadonlySet<Permission> =>
  new Set(names.flatMap((name): readonly Permission[] => roles[name]));

/** True for administrators and for keys with all permissions in the whole account. */
export const mayEverything = ({ permissions: own, scope }: Pick<Actor, 'permissions' | 'scope'>): boolean =>
  scope.kind === 'account' && permissions.every((permission) => own.has(permission));

/** Whether access lists do not apply to the actor within its scope: it may change them, so it could add itself. */
export const mayGrant = (actor: Pick<Actor, 'permissions' | 'scope'>): boolean =>
  allows(actor, { needs: 'restriction.write', scope: 'project' });

const width = { environment: 0, project: 1, member: 1, account: 2 } as const;

/**
 * Whether the actor may use the endpoint at all, whatever the path names. If not: 403, whether or not the object
 * exists.
 */
export const allows = (actor: Pick<Actor, 'permissions' | 'scope'>, access: Access): boolean =>
  actor.permissions.has(access.needs) && width[actor.scope.kind] >= width[access.scope];
