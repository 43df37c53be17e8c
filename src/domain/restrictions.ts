/** Who may see a project: everybody, or the users, groups and keys that its restriction lists. */
import { type Static, Type } from 'typebox';
import { refuse } from './problems.ts';
import { Id, OneOf } from './schema.ts';

const viewerTypes = ['user', 'group', 'api_key'] as const;
const Viewer = Type.Object({ id: Type.String(), name: Type.String(), type: OneOf(viewerTypes) });
export type Viewer = Static<typeof Viewer>;

export const Restriction = Type.Object({
  id: Type.String(),
  type: Type.Literal('restriction'),
  resource: Type.Object({ id: Type.String(), name: Type.String(), type: Type.Literal('workspace') }),
  operations: Type.Object({ view: Type.Boolean() }),
  resourcePermissions: Type.Object({ view: Type.Array(Viewer) }),
});
export type Restriction = Static<typeof Restriction>;

export const RestrictionUpdate = Type.Object({
  resource: Type.Object({ id: Id, type: OneOf(['workspace']) }),
  operations: Type.Object({ view: Type.Boolean({ description: 'true: only those listed may see the project' }) }),
  resourcePermissions: Type.Optional(
    Type.Object({
      view: Type.Optional(
        Type.Array(Type.Object({ id: Type.String(), type: OneOf(viewerTypes) }), {
          maxItems: 1000,
          description: 'Account-wide admin keys that may not change project access see the project only if listed.',
        }),
      ),
    }),
  ),
});
export type RestrictionUpdate = Static<typeof RestrictionUpdate>;

export const viewersOf = ({ resourcePermissions }: RestrictionUpdate): Omit<Viewer, 'name'>[] =>
  (resourcePermissions?.view ?? []).map(({ id, type }) => ({ id, type }));

/** A project that nobody could open again must not come into being. */
export function checkViewers(viewers: readonly { id: string; type: string }[], administratorsId: string): void {
  const listed = viewers.some((viewer) => viewer.type === 'group' && viewer.id === administratorsId);
  refuse('restriction_invalid', listed ? [] : ['resourcePermissions/view must list the group Administrators']);
}

export const toRestriction = (
  project: { id: string; name: string },
  restricted: boolean,
  viewers: readonly Viewer[],
): Restriction => ({
  id: project.id,
  type: 'restriction',
  resource: { id: project.id, name: project.name, type: 'workspace' },
  operations: { view: restricted },
  resourcePermissions: { view: [...viewers] },
});
