/**
 * Rights in a project: view and edit it, and in each environment edit definitions, kill and restore. `rightsFrom` is the
 * policy. Its input comes from the access lists: requests look the actor up in the database, `explainRights` in the
 * lists that it is given.
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

/** Whose rights are explained. */
export interface Subject {
  readonly type: 'user' | 'api_key';
  readonly id: string;
  readonly groups: readonly Reference[];
  readonly mayGrant: boolean;
}

export const Verdict = Type.Object({
  may: Type.Boolean(),
  reason: Type.String(),
  withApproval: Type.Optional(Type.Literal(true, { description: 'someone else must approve what they change' })),
});
export type Verdict = Static<typeof Verdict>;

export const ExplainedRights = Type.Object({
  project: Reference,
  view: Verdict,
  edit: Verdict,
  ownersEdit: Type.Boolean({ description: 'in addition, they can edit the flags that they own' }),
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

/** What the subject can do in the project, and why. Owned flags are not considered: `ownersEdit` says whether they matter. */
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
        define: guarded('define', explainDefine(access, environment, { subject, rights: here }), environment, subject),
        kill: guarded('kill', explainKill(access, environment, { subject, rights: here }), environment, subject),
      };
    }),
  };
}

/** Why a right is missing, in the words of a refusal. */
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

/** The entry that names the subject: its own, or else that of one of its groups. */
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
  if (rights.edit) return yes(whyAllowed('edit this project', [edit], access, subject));
  return no(`${only(edit.grantees)} can edit ${name}.${ownersEdit ? ownersToo : ''}`);
}

const ownersToo = ' Owners can edit their own flags.';

interface Explained {
  readonly subject: Subject;
  readonly rights: Rights;
}

function explainDefine(access: ProjectAccess, { name, editors }: EnvironmentAccess, { subject, rights }: Explained) {
  if (!rights.edit || subject.mayGrant) return explainEdit(access, subject, rights);
  if (rights.define) return yes(whyAllowed('edit definitions here', [editors, access.edit], access, subject));
  return no(`${only(editors.grantees)} can edit definitions in ${name}.${access.ownersEdit ? ownersToo : ''}`);
}

function explainKill(access: ProjectAccess, environment: EnvironmentAccess, { subject, rights }: Explained) {
  const { name, killers } = environment;
  if (subject.mayGrant || !rights.view) return explainEdit(access, subject, rights);
  if (entryOf(killers, subject)) return yes(through(killers, subject));
  if (rights.define) {
    const none = { restricted: false, grantees: [] };
    return yes(whyAllowed('kill and restore here', [none, environment.editors, access.edit], access, subject));
  }
  // The list that the subject is missing from: the other one may name it.
  const { grantees } = rights.edit ? environment.editors : access.edit;
  return no(`${only([...grantees, ...killers])} can kill and restore in ${name}.`);
}

/** With what approvals the environment asks of the subject. */
function guarded(
  right: 'define' | 'kill',
  verdict: Verdict,
  { approvals }: EnvironmentAccess,
  subject: Subject,
): Verdict {
  if (!verdict.may || !approvals?.required || entryOf(approvals.skippers, subject)) return verdict;
  if (right === 'kill' && approvals.allowKills) {
    return { ...verdict, reason: `${verdict.reason} Kills need no approval, restoring does.` };
  }
  return { ...verdict, reason: `${verdict.reason} Someone else must approve.`, withApproval: true };
}

const yes = (reason: string): Verdict => ({ may: true, reason });
const no = (reason: string): Verdict => ({ may: false, reason });

/**
 * Names the list that gives the right. Each open list passes on to the next wider one: editors in the environment,
 * editors of the project, viewers.
 */
function whyAllowed(what: string, lists: readonly Circle[], { view }: ProjectAccess, subject: Subject): string {
  const all = [...lists, view];
  const decisive = all.findIndex(({ restricted }) => restricted);
  const list = all[decisive];
  if (!list) return `Everyone with an account can ${what}.`;
  const reason = through(list.grantees, subject);
  if (decisive === 0) return reason;
  const wider = ['view this project', 'edit this project', 'edit definitions here'][all.length - 1 - decisive];
  return `Can ${wider}: ${reason.charAt(0).toLowerCase()}${reason.slice(1)}`;
}

function through(grantees: readonly Grantee[], subject: Subject): string {
  const entry = entryOf(grantees, subject);
  return entry?.type === 'group' ? `Through the group ${entry.name}.` : 'Listed by name.';
}

const maxNames = 4;
/** "A, B and C". By hand: the first `Intl.ListFormat` takes 40 ms, a quarter of the start of a command. */
const conjunction = (names: readonly string[]): string =>
  names.length === 1 ? `${names[0]}` : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;

/** The subject of a sentence: "Only Payments and Liu Wei". */
function only(grantees: readonly Grantee[]): string {
  const names = [...new Set(grantees.map(({ name }) => name))];
  if (names.length === 0) return 'Only administrators';
  const shown = names.length > maxNames ? names.slice(0, maxNames - 1) : names;
  const others = names.length - shown.length;
  return `Only ${conjunction(others > 0 ? [...shown, `${others} more`] : shown)}`;
}
