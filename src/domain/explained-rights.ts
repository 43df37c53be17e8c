/** What somebody can do in a project and why, in words: by the policy of `rights.ts`, from the project's access lists. */
import { type Static, Type } from 'typebox';
import {
  type Circle,
  type EnvironmentAccess,
  type Grantee,
  type ProjectAccess,
  type Right,
  type Rights,
  rightsFrom,
  type Standing,
} from './rights.ts';
import { Reference } from './schema.ts';

/** The user or API key that rights are explained for. */
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

const grants = 'Administrators have every right.';

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
