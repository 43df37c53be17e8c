/** Who can view and edit a project: everyone, or the users, groups and keys that its restriction lists. */
import { type Static, Type } from 'typebox';
import { refuse } from './problems.ts';
import { type Circle, Grantee, maxGrantees, NamedGrantee, type ProjectAccessUpdate } from './rights.ts';
import { Id, OneOf, type Reference } from './schema.ts';

export const Restriction = Type.Object({
  id: Type.String(),
  type: Type.Literal('restriction'),
  resource: Type.Object({ id: Type.String(), name: Type.String(), type: Type.Literal('workspace') }),
  operations: Type.Object({
    view: Type.Boolean(),
    edit: Type.Optional(Type.Literal(true, { description: 'only those listed can edit; left out otherwise' })),
    ownersEdit: Type.Optional(
      Type.Literal(true, { description: 'owners can edit their flags, whatever the lists say; left out otherwise' }),
    ),
  }),
  resourcePermissions: Type.Object({
    view: Type.Array(Grantee),
    edit: Type.Optional(Type.Array(Grantee, { description: 'left out if nobody is listed' })),
  }),
});
export type Restriction = Static<typeof Restriction>;

export const RestrictionUpdate = Type.Object({
  resource: Type.Object({ id: Id, type: OneOf(['workspace']) }),
  operations: Type.Object({
    view: Type.Boolean({ description: 'true: only listed users, groups and keys can view the project' }),
    edit: Type.Optional(
      Type.Boolean({ description: 'true: only those listed can change anything in the project. Left out: unchanged' }),
    ),
    ownersEdit: Type.Optional(Type.Boolean({ description: 'Left out: unchanged' })),
  }),
  resourcePermissions: Type.Optional(
    Type.Object({
      view: Type.Optional(
        Type.Array(NamedGrantee, {
          maxItems: 1000,
          description: 'Account-wide admin keys that cannot change project access see the project only if listed.',
        }),
      ),
      edit: Type.Optional(
        Type.Array(NamedGrantee, {
          maxItems: maxGrantees,
          description: 'Admin keys that cannot change project access edit it only if listed. Left out: unchanged',
        }),
      ),
    }),
  ),
});
export type RestrictionUpdate = Static<typeof RestrictionUpdate>;

/** Who can view and edit a project itself, as stored. */
export interface Openness {
  readonly view: Circle;
  readonly edit: Circle;
  readonly ownersEdit: boolean;
}

/** What the body changes. Clients that know only `view` leave `edit` unchanged. */
export const accessUpdateOf = ({ operations, resourcePermissions = {} }: RestrictionUpdate): ProjectAccessUpdate => ({
  view: { restricted: operations.view, grantees: resourcePermissions.view ?? [] },
  edit: {
    ...(operations.edit === undefined ? {} : { restricted: operations.edit }),
    ...(resourcePermissions.edit ? { grantees: resourcePermissions.edit } : {}),
  },
  ...(operations.ownersEdit === undefined ? {} : { ownersEdit: operations.ownersEdit }),
});

/** Someone must remain who can open the project again. `place`: where the body has the list. */
export function checkViewers(viewers: readonly NamedGrantee[], administratorsId: string, place: string): void {
  const listed = viewers.some((viewer) => viewer.type === 'group' && viewer.id === administratorsId);
  refuse('restriction_invalid', listed ? [] : [`${place} must list the group Administrators`]);
}

/** `edit` is left out while it is open, so that clients which know only `view` find what they expect. */
export const toRestriction = (project: Reference, { view, edit, ownersEdit }: Openness): Restriction => ({
  id: project.id,
  type: 'restriction',
  resource: { id: project.id, name: project.name, type: 'workspace' },
  operations: {
    view: view.restricted,
    ...(edit.restricted ? { edit: true } : {}),
    ...(ownersEdit ? { ownersEdit } : {}),
  },
  resourcePermissions: {
    view: [...view.grantees],
    ...(edit.grantees.length > 0 ? { edit: [...edit.grantees] } : {}),
  },
});

/** Who can view and edit new projects. */
export const newProjectsChoices = ['open', 'read-only', 'private'] as const;
export type NewProjects = (typeof newProjectsChoices)[number];
export const isNewProjects = (word: string): word is NewProjects =>
  newProjectsChoices.some((choice) => choice === word);

/** `read-only`: everyone views, administrators edit. `private`: administrators view and edit. */
export const opennessOf = (choice: NewProjects, administrators: Grantee): Openness => ({
  view: { restricted: choice === 'private', grantees: choice === 'private' ? [administrators] : [] },
  edit: { restricted: choice === 'read-only', grantees: [] },
  ownersEdit: false,
});

/** For a copy of a project: its lists, and where it has none, those of the setting. */
export const stricter = (original: Openness, setting: Openness): Openness => ({
  view: original.view.restricted ? original.view : setting.view,
  edit: original.edit.restricted ? original.edit : setting.edit,
  ownersEdit: original.ownersEdit && (original.edit.restricted || !setting.edit.restricted),
});
