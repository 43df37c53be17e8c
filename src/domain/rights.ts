/**
 * Rights in a project: view and edit it, and in each environment edit definitions, kill and restore. `rightsFrom` is the
 * policy. Its input comes from the access lists: requests look the actor up in the database, `explainRights` in the
 * lists that it is given (`explained-rights.ts`).
 */
import { type Static, Type } from 'typebox';
import type { Permission } from './access.ts';
import { OneOf, Reference } from './schema.ts';

export const granteeTypes = ['user', 'group', 'api_key'] as const;
export const Grantee = Type.Object({ id: Type.String(), name: Type.String(), type: OneOf(granteeTypes) });
export type Grantee = Static<typeof Grantee>;

/** A grantee in a request body. */
export const NamedGrantee = Type.Object({ id: Type.String(), type: OneOf(granteeTypes) });
export type NamedGrantee = Static<typeof NamedGrantee>;
/** Per list. More people belong in a group. */
export const maxGrantees = 200;

export type Right = 'view' | 'edit' | 'define' | 'kill';
export type Rights = Readonly<Record<Right, boolean>>;

/**
 * The right that each permission needs in the project of the path, and for `define` and `kill` in its environment.
 * `view` adds nothing: resolving the path already needs it.
 */
export const rightNeeded: Readonly<Record<Permission, Right>> = {
  'project.read': 'view',
  'project.create': 'view',
  'project.write': 'edit',
  'environment.write': 'edit',
  'trafficType.write': 'edit',
  'identity.read': 'view',
  'identity.write': 'define',
  'restriction.write': 'view',
  'rolloutStatus.read': 'view',
  'flag.read': 'view',
  'flag.write': 'edit',
  'definition.read': 'view',
  'definition.write': 'define',
  'definition.kill': 'kill',
  'segment.read': 'view',
  'segment.write': 'edit',
  'segmentContent.write': 'define',
  'changeset.read': 'view',
  // Its operations need what the same edits need alone.
  'changeset.write': 'view',
  'user.read': 'view',
  'user.write': 'view',
  'group.read': 'view',
  'group.write': 'view',
  'apiKey.read': 'view',
  'apiKey.write': 'view',
  'audit.read': 'view',
  'import.write': 'view',
  'server.write': 'view',
};

/** The list is not in use, or it names someone, or it does not. */
export type Standing = 'open' | 'listed' | 'unlisted';

export interface Standings {
  /** They can change access. Lists do not apply to them, because they could add themselves. */
  readonly mayGrant: boolean;
  readonly view: Standing;
  readonly edit: Standing;
  readonly define: Standing;
  readonly kill: 'listed' | 'unlisted';
  /** They own the flag, and the project lets owners edit their flags. */
  readonly owns: boolean;
}

/** The policy: each right needs the one before it, except that people listed for `kill` only need `view`. */
export function rightsFrom({ mayGrant, owns, ...standing }: Standings): Rights {
  const isFree = mayGrant || owns;
  const view = mayGrant || standing.view !== 'unlisted';
  const edit = view && (isFree || standing.edit !== 'unlisted');
  const define = edit && (isFree || standing.define !== 'unlisted');
  const kill = view && (define || standing.kill === 'listed');
  return { view, edit, define, kill };
}

const Circle = Type.Object({
  restricted: Type.Boolean({ description: 'true: only those listed, and administrators' }),
  grantees: Type.Array(Grantee),
});
/** Everyone, or only those listed. */
export type Circle = Static<typeof Circle>;

const Approvals = Type.Object({
  required: Type.Boolean({ description: 'changes to definitions and segments need the approval of someone else' }),
  approvers: Circle,
  allowKills: Type.Boolean({ description: 'kills need none' }),
  skippers: Type.Array(Grantee, { description: 'their changes need none' }),
});
export type Approvals = Static<typeof Approvals>;

export const noApprovals: Approvals = {
  required: false,
  approvers: { restricted: false, grantees: [] },
  allowKills: false,
  skippers: [],
};

const EnvironmentAccess = Type.Object({
  id: Type.String(),
  name: Type.String(),
  production: Type.Boolean(),
  editors: Circle,
  killers: Type.Array(Grantee, { description: 'can kill and restore in addition to the editors' }),
  approvals: Type.Optional(
    Type.Unsafe<Approvals>({ ...Approvals, description: 'absent: none are required, and nothing else is set' }),
  ),
});

/** The access lists of a project and its environments. */
export const ProjectAccess = Type.Object({
  id: Type.String(),
  name: Type.String(),
  view: Circle,
  edit: Circle,
  ownersEdit: Type.Boolean({ description: 'owners of a flag can edit it and its definitions, whatever the lists say' }),
  environments: Type.Array(EnvironmentAccess),
});
export type ProjectAccess = Static<typeof ProjectAccess>;
export type EnvironmentAccess = Static<typeof EnvironmentAccess>;

/** A misspelled member would leave a list as it is, and a right with whoever should have lost it. */
const closed = { additionalProperties: false } as const;

const CircleUpdate = Type.Object(
  {
    restricted: Type.Optional(Type.Boolean()),
    grantees: Type.Optional(Type.Array(NamedGrantee, { maxItems: maxGrantees })),
  },
  closed,
);

/** So that a response can be edited and sent back. */
const ignored = (description: string) => Type.Optional(Type.String({ description: `${description}: ignored` }));

/** A change to it: what is left out stays. */
export const ProjectAccessUpdate = Type.Object(
  {
    id: ignored('Id of the project'),
    name: ignored('Name of the project'),
    view: Type.Optional(CircleUpdate),
    edit: Type.Optional(CircleUpdate),
    ownersEdit: Type.Optional(Type.Boolean()),
    environments: Type.Optional(
      Type.Array(
        Type.Object(
          {
            id: Type.String(),
            name: ignored('Name of the environment'),
            production: Type.Optional(Type.Boolean({ description: 'ignored' })),
            editors: Type.Optional(CircleUpdate),
            killers: Type.Optional(Type.Array(NamedGrantee, { maxItems: maxGrantees })),
            approvals: Type.Optional(
              Type.Object(
                {
                  required: Type.Optional(Type.Boolean()),
                  approvers: Type.Optional(CircleUpdate),
                  allowKills: Type.Optional(Type.Boolean()),
                  skippers: Type.Optional(Type.Array(NamedGrantee, { maxItems: maxGrantees })),
                },
                closed,
              ),
            ),
          },
          closed,
        ),
        { maxItems: 200 },
      ),
    ),
  },
  closed,
);
export type ProjectAccessUpdate = Static<typeof ProjectAccessUpdate>;

/** One access list that names a grantee and has an effect. */
export const GrantedRight = Type.Object({
  project: Reference,
  environment: Type.Optional(Reference),
  right: OneOf(['view', 'edit', 'define', 'kill']),
  alone: Type.Boolean({
    description:
      'nobody else is on the list except the group Administrators: without this entry, only administrators have the right, or for `kill` those who can edit',
  }),
});
export type GrantedRight = Static<typeof GrantedRight>;
