/**
 * Rights in a project: who may view and edit it, and who may edit definitions or kill and restore in its environments.
 * `rightsFrom` is the policy. What it needs to know comes from the lists below: for a request, the database looks the
 * actor up in them; for an explanation, `explainRights` does.
 */
import { type Static, Type } from 'typebox';
import type { Permission } from './access.ts';
import { OneOf, Reference } from './schema.ts';

export const granteeTypes = ['user', 'group', 'api_key'] as const;
export const Grantee = Type.Object({ id: Type.String(), name: Type.String(), type: OneOf(granteeTypes) });
export type Grantee = Static<typeof Grantee>;

/** A grantee as a body names it. A list of them has at most so many: more people belong in a group. */
export const NamedGrantee = Type.Object({ id: Type.String(), type: OneOf(granteeTypes) });
export type NamedGrantee = Static<typeof NamedGrantee>;
export const maxGrantees = 200;

export type Right = 'view' | 'edit' | 'define' | 'kill';
export type Rights = Readonly<Record<Right, boolean>>;

/**
 * Which right a permission needs where it is used: in the project, and for `define` and `kill` in the environment, that
 * the path names. Those with `view` ask for no more than the permission says.
 */
export const rightNeeded: Readonly<Record<Permission, Right>> = {
  'project.read': 'view',
  'project.create': 'view',
  'project.write': 'edit',
  'environment.write': 'edit',
  'trafficType.write': 'edit',
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
  'user.read': 'view',
  'user.write': 'view',
  'group.read': 'view',
  'group.write': 'view',
  'apiKey.read': 'view',
  'apiKey.write': 'view',
  'audit.read': 'view',
};

/** How somebody stands to a list: it is open to everybody, names them, or does not. */
export type Standing = 'open' | 'listed' | 'unlisted';

export interface Standings {
  /** They may change access. No list holds them back: they could add themselves. */
  readonly mayGrant: boolean;
  readonly view: Standing;
  readonly edit: Standing;
  readonly define: Standing;
  readonly kill: 'listed' | 'unlisted';
  /** They own the flag, in a project whose owners may edit their flags. */
  readonly owns: boolean;
}

/** The policy: each right needs the one before it, except that those listed for `kill` need only see the project. */
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
/** Everybody, or those listed. */
export type Circle = Static<typeof Circle>;

const EnvironmentAccess = Type.Object({
  id: Type.String(),
  name: Type.String(),
  production: Type.Boolean(),
  editors: Circle,
  killers: Type.Array(Grantee, { description: 'who may kill and restore besides the editors' }),
});

/** Who may do what in a project and its environments. */
export const ProjectAccess = Type.Object({
  id: Type.String(),
  name: Type.String(),
  view: Circle,
  edit: Circle,
  ownersEdit: Type.Boolean({ description: 'owners of a flag may edit it and its definitions, whatever the lists say' }),
  environments: Type.Array(EnvironmentAccess),
});
export type ProjectAccess = Static<typeof ProjectAccess>;
export type EnvironmentAccess = Static<typeof EnvironmentAccess>;

const CircleUpdate = Type.Object({
  restricted: Type.Optional(Type.Boolean()),
  grantees: Type.Optional(Type.Array(NamedGrantee, { maxItems: maxGrantees })),
});

/** A change of it: what is left out stays. */
export const ProjectAccessUpdate = Type.Object({
  view: Type.Optional(CircleUpdate),
  edit: Type.Optional(CircleUpdate),
  ownersEdit: Type.Optional(Type.Boolean()),
  environments: Type.Optional(
    Type.Array(
      Type.Object({
        id: Type.String(),
        editors: Type.Optional(CircleUpdate),
        killers: Type.Optional(Type.Array(NamedGrantee, { maxItems: maxGrantees })),
      }),
      { maxItems: 200 },
    ),
  ),
});
export type ProjectAccessUpdate = Static<typeof ProjectAccessUpdate>;

/** Whose rights are explained. */
export interface Subject {
  readonly type: 'user' | 'api_key';
  readonly id: string;
  readonly groups: readonly Reference[];
  readonly mayGrant: boolean;
}

export const Verdict = Type.Object({ may: Type.Boolean(), reason: Type.String() });
export type Verdict = Static<typeof Verdict>;

export const ExplainedRights = Type.Object({
  project: Reference,
  view: Verdict,
  edit: Verdict,
  ownersEdit: Type.Boolean({ description: 'in addition, they may edit the flags that they own' }),
  environments: Type.Array(
    Type.Object({
      id: Type.String(),
      name: Type.String(),
      production: Type.Boolean(),
      define: Verdict,
      kill: Verdict,
    }),
  ),
});
export type ExplainedRights = Static<typeof ExplainedRights>;

/** What the subject may do in the project, and why. For owners only what the project says: the rest depends on the flag. */
export function explainRights(access: ProjectAccess, subject: Subject): ExplainedRights {
  const { id, name, ownersEdit } = access;
  const own = rightsAt(access, undefined, subject);
  return {
    project: { id, name },
    view: explainView(access, subject, own),
    edit: explainEdit(access, subject, own),
    ownersEdit,
    environments: access.environments.map((environment) => {
      const here = rightsAt(access, environment, subject);
      return {
        id: environment.id,
        name: environment.name,
        production: environment.production,
        define: explainDefine(access, environment, { subject, rights: here }),
        kill: explainKill(access, environment, { subject, rights: here }),
      };
    }),
  };
}

/** The reason why a right is missing, as a refusal says it. */
export function whyNot(
  right: Right,
  access: ProjectAccess,
  environment: EnvironmentAccess | undefined,
  subject: Subject,
): string {
  const rights = rightsAt(access, environment, subject);
  if (!environment || right === 'view' || right === 'edit') {
    return (right === 'view' ? explainView : explainEdit)(access, subject, rights).reason;
  }
  return (right === 'define' ? explainDefine : explainKill)(access, environment, { subject, rights }).reason;
}

function rightsAt(access: ProjectAccess, environment: EnvironmentAccess | undefined, subject: Subject): Rights {
  return rightsFrom({
    mayGrant: subject.mayGrant,
    view: standingIn(access.view, subject),
    edit: standingIn(access.edit, subject),
    define: environment ? standingIn(environment.editors, subject) : 'open',
    kill: environment && entryOf(environment.killers, subject) ? 'listed' : 'unlisted',
    owns: false,
  });
}

const standingIn = ({ restricted, grantees }: Circle, subject: Subject): Standing =>
  !restricted ? 'open' : entryOf(grantees, subject) ? 'listed' : 'unlisted';

/** What lists the subject: an entry of its own before that of a group. */
function entryOf(grantees: readonly Grantee[], { type, id, groups }: Subject): Grantee | undefined {
  return (
    grantees.find((one) => one.type === type && one.id === id) ??
    grantees.find((one) => one.type === 'group' && groups.some((group) => group.id === one.id))
  );
}

const grants = 'Administrators can do everything.';

function explainView({ view, name }: ProjectAccess, subject: Subject, rights: Rights): Verdict {
  if (subject.mayGrant) return yes(grants);
  if (!view.restricted) return yes('Everyone with an account can view this project.');
  return rights.view ? yes(through(view.grantees, subject)) : no(`${only(view.grantees)} can view ${name}.`);
}

function explainEdit(access: ProjectAccess, subject: Subject, rights: Rights): Verdict {
  const { edit, name, ownersEdit } = access;
  if (subject.mayGrant) return yes(grants);
  if (!rights.view) return no(`They cannot view ${name}.`);
  if (!edit.restricted) return yes('Everyone who can view this project can edit it.');
  if (rights.edit) return yes(through(edit.grantees, subject));
  return no(`${only(edit.grantees)} can edit ${name}.${ownersEdit ? ownersToo : ''}`);
}

const ownersToo = ' Owners can edit their own flags.';

interface Explained {
  readonly subject: Subject;
  readonly rights: Rights;
}

function explainDefine(access: ProjectAccess, { name, editors }: EnvironmentAccess, { subject, rights }: Explained) {
  if (!rights.edit || subject.mayGrant) return explainEdit(access, subject, rights);
  if (!editors.restricted) return yes('Everyone who can edit this project can edit definitions here.');
  if (rights.define) return yes(through(editors.grantees, subject));
  return no(`${only(editors.grantees)} can edit definitions in ${name}.${access.ownersEdit ? ownersToo : ''}`);
}

function explainKill(access: ProjectAccess, environment: EnvironmentAccess, { subject, rights }: Explained) {
  const { name, killers } = environment;
  if (subject.mayGrant || !rights.view) return explainEdit(access, subject, rights);
  if (rights.define) return yes('Everyone who can edit definitions here can kill and restore.');
  if (rights.kill) return yes(through(killers, subject));
  // Of the two lists that editors are on, the one that lacks them: the other may name them.
  const { grantees } = rights.edit ? environment.editors : access.edit;
  return no(`${only([...grantees, ...killers])} can kill and restore in ${name}.`);
}

const yes = (reason: string): Verdict => ({ may: true, reason });
const no = (reason: string): Verdict => ({ may: false, reason });

function through(grantees: readonly Grantee[], subject: Subject): string {
  const entry = entryOf(grantees, subject);
  return entry?.type === 'group' ? `Through the group ${entry.name}.` : 'Listed by name.';
}

const maxNames = 4;
/** "A, B and C". */
const conjunction = new Intl.ListFormat('en-GB');

/** "Only Payments and Liu Wei": the subject of a sentence. Without anybody listed, administrators are left. */
function only(grantees: readonly Grantee[]): string {
  const names = [...new Set(grantees.map(({ name }) => name))];
  if (names.length === 0) return 'Only administrators';
  const shown = names.length > maxNames ? names.slice(0, maxNames - 1) : names;
  const others = names.length - shown.length;
  return `Only ${conjunction.format(others > 0 ? [...shown, `${others} more`] : shown)}`;
}
