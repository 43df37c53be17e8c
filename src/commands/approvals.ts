/**
 * Whether a change needs an approval, and whether it has it.
 *
 * Invariants
 * 1. An approval is of a content: the hash of title, comment, operations, what they start from, and the schedule. An
 *    edit of any of these voids it for good, even if a later edit brings the same content back.
 * 2. The author and everyone who edited the content cannot approve it.
 * 3. An approval counts as long as the one who gave it could still give it, by the rows of the transaction that asks.
 */
import { createHash } from 'node:crypto';
import { type Actor, mayGrant } from '#domain/access.ts';
import { hasWritten, isSame, type NeededApproval, type Person } from '#domain/approvals.ts';
import type { PlacedOperation } from '#domain/changesets.ts';
import { canonicalText } from '#domain/json.ts';
import { Problem } from '#domain/problems.ts';
import type { Project } from '#domain/projects.ts';
import { rightsFrom } from '#domain/rights.ts';
import type { Reference } from '#domain/schema.ts';
import { emailKey } from '#domain/users.ts';
import { findAccount } from '#store/account.ts';
import { listApiKeysById } from '#store/api-keys.ts';
import {
  type ActivePerson,
  type ApprovalRules,
  listActivePeople,
  listApprovalRules,
  listApprovalRulesOf,
  listPossibleApprovers,
  type StoredReview,
} from '#store/approvals.ts';
import type { ChangesetHead } from '#store/changesets.ts';
import type { Approvals } from '#store/environments.ts';
import { listStandingsOf, type PlacedStandings } from '#store/rights.ts';
import type { Reader } from '#store/sql.ts';
import { actorOfKey, actorOfUser } from './actors.ts';
import type { RecordingTx } from './context.ts';

/** An environment whose row is locked, as `nextChangeNumber` returns it. */
export interface LockedEnvironment {
  readonly environment: Reference;
  readonly approvals: Approvals;
}

/**
 * The transaction to make the change with: its entries say so if others would need an approval. Refuses a change that
 * needs one and is not part of a changeset.
 */
export async function requireDirect(
  tx: RecordingTx,
  { environment, approvals }: LockedEnvironment,
  isKill = false,
): Promise<RecordingTx> {
  if (!approvals.areRequired || tx.changesetId !== undefined) return tx;
  if (isKill && approvals.allowKills) return recordingAs(tx, 'kill');
  const [rules] = await listApprovalRules(tx, [environment.id], tx.actor);
  // An operator has the database.
  if (rules?.isSkipper || tx.actor.type === 'operator') return recordingAs(tx, 'skipped');
  throw await approvalsRequired(tx, environment);
}

/** The same for an environment that is not locked: the change itself checks it again. */
export async function requireDirectAt(tx: RecordingTx, environment: Reference): Promise<void> {
  const [rules] = await listApprovalRules(tx, [environment.id], tx.actor);
  if (rules) await requireDirect(tx, { environment, approvals: rules });
}

export const recordingAs = (tx: RecordingTx, withoutApproval: NonNullable<NeededApproval['without']>): RecordingTx => ({
  ...tx,
  record: (...entries) => tx.record(...entries.map((one) => ({ ...one, withoutApproval }))),
});

async function approvalsRequired(db: Reader, { id, name }: Reference): Promise<Problem> {
  const account = await findAccount(db);
  return new Problem('approvals_required', { accountId: account?.id ?? '', environmentId: id, environment: name });
}

/** A changeset, as far as approvals are concerned. */
export interface Reviewed {
  readonly head: ChangesetHead;
  readonly project: Project;
  readonly operations: readonly PlacedOperation[];
  readonly reviews: readonly StoredReview[];
}

/** SHA-256 of what an approval is given for, with when it is applied. Bases are texts that we made, so they are canonical. */
export function contentHashOf({ head, operations }: Pick<Reviewed, 'head' | 'operations'>): string {
  const hash = createHash('sha256').update(canonicalText([head.title, head.comment]));
  for (const { kind, object, environment, edit, base = '' } of operations) {
    const text = canonicalText([kind, object.id, environment?.id ?? '', edit, base.length]);
    hash.update(`\n${text}\n`).update(base);
  }
  // What later steps are based on follows from the rest.
  if (head.schedule) hash.update(`\n${canonicalText([head.schedule.at ?? null, head.schedule.steps])}`);
  return hash.digest('hex');
}

/** For each environment where the changeset needs an approval: whether it has one, for an actor who applies it now. */
export async function neededApprovals(db: Reader, actor: Actor, changeset: Reviewed): Promise<NeededApproval[]> {
  const givers = await listGivers(db, changeset);
  const [own, ...others] = await standingsFor(db, [actor, ...givers.map((giver) => giver.actor)], changeset);
  if (!own) return [];
  const ownPlaces = placesOf(own, changeset);
  const places = others.map((one) => placesOf(one, changeset));
  return own.rules.map((one) => {
    const { environment } = one;
    const approvedBy = givers.flatMap(({ by }, index) => (places[index]?.has(environment.id) ? [by] : []));
    const without = whyWithout(one, changeset);
    return {
      environment,
      approvedBy,
      isGiven: approvedBy.length > 0,
      ...(without ? { without } : {}),
      mayApprove: ownPlaces.has(environment.id),
    };
  });
}

/** Those who approved what the changeset contains now, except revoked keys and people who can no longer sign in. */
async function listGivers(db: Reader, changeset: Reviewed): Promise<{ by: StoredReview['by']; actor: Actor }[]> {
  const approvals = changeset.reviews.filter(({ kind, voidedAt }) => kind === 'approve' && voidedAt === undefined);
  if (approvals.length === 0) return [];
  const hash = contentHashOf(changeset);
  const current = approvals.filter(({ contentHash }) => contentHash === hash).slice(-maxCounted);
  const people = current.map(({ by }) => by);
  const actors = await listActors(db, people);
  return current.flatMap(({ by }) => {
    const actor = actors.find((one) => isSame(one, by));
    return actor ? [{ by, actor }] : [];
  });
}

/** As they are now, without revoked keys and people who can no longer sign in. In no order. */
export async function listActors(db: Reader, who: readonly Person[]): Promise<Actor[]> {
  const idsOf = (isKey: boolean) => who.flatMap(({ type, id }) => ((type === 'api_key') === isKey ? [id] : []));
  const keys = await listApiKeysById(db, idsOf(true));
  const people = await listActivePeople(db, idsOf(false));
  return [...keys.map(actorOfKey), ...people.map((person) => actorOfUser(person, person.isAdministrator))];
}

/** They are looked up together. One for each environment is enough. */
const maxCounted = 100;

/** Refuses unless the actor may apply the changeset now. Returns the environments that need no approval, and why. */
export async function requireApprovals(
  tx: RecordingTx,
  changeset: Reviewed,
): Promise<ReadonlyMap<string, NonNullable<NeededApproval['without']>>> {
  const needed = await neededApprovals(tx, tx.actor, changeset);
  const missing = needed.find(({ isGiven, without }) => !isGiven && !without);
  if (missing) throw await approvalsRequired(tx, missing.environment);
  return new Map(
    needed.flatMap(({ environment, without, isGiven }) =>
      without && !isGiven ? [[environment.id, without] as const] : [],
    ),
  );
}

/** Ids of the environments for which the actor could approve the changeset now. */
export async function placesApprovedBy(db: Reader, actor: Actor, changeset: Reviewed): Promise<ReadonlySet<string>> {
  const [standing] = await standingsFor(db, [actor], changeset);
  return standing ? placesOf(standing, changeset) : new Set();
}

/** Of the environments that the operations change. */
export const environmentIdsOf = (operations: readonly PlacedOperation[]): string[] => [
  ...new Set(operations.flatMap(({ environment }) => environment?.id ?? [])),
];

/** How many people are mailed about a request. */
export const maxMailed = 50;

/** People who could approve the changeset now; of many, the first. */
export async function listApprovers(db: Reader, changeset: Reviewed): Promise<ActivePerson[]> {
  const { head, project, operations } = changeset;
  const environmentIds = environmentIdsOf(operations);
  const filter = { projectId: project.id, environmentIds, emailKeys: head.approvers.map(emailKey) };
  const people = await listPossibleApprovers(db, filter, maxMailed);
  if (people.length === 0) return [];
  const actors = people.map((person) => actorOfUser(person, person.isAdministrator));
  const standings = await standingsFor(db, actors, changeset);
  return people.filter((_, index) => {
    const standing = standings[index];
    return standing !== undefined && placesOf(standing, changeset).size > 0;
  });
}

/** What environments that need an approval, and the project, say about an actor. */
interface Standing {
  readonly actor: Actor;
  readonly rules: readonly ApprovalRules[];
  readonly standings: readonly PlacedStandings[];
}

/** In the order of the actors; empty if no approval is needed. Two statements, however many actors. */
async function standingsFor(db: Reader, actors: readonly Actor[], changeset: Reviewed): Promise<Standing[]> {
  const { project, operations } = changeset;
  const touched = environmentIdsOf(operations);
  const rules = (await listApprovalRulesOf(db, touched, actors)).map((all) =>
    all.filter((one) => isNeeded(one, changeset)),
  );
  const environmentIds = rules[0]?.map(({ environment }) => environment.id) ?? [];
  if (environmentIds.length === 0) return [];
  const standings = await listStandingsOf(db, actors, { projectId: project.id, environmentIds });
  return actors.map((actor, index) => ({ actor, rules: rules[index] ?? [], standings: standings[index] ?? [] }));
}

function placesOf({ actor, rules, standings }: Standing, { head, reviews }: Reviewed): ReadonlySet<string> {
  if (hasWritten(actor, head.author, reviews)) return new Set();
  const may = (one: ApprovalRules) => {
    const standing = standings.find(({ environmentId }) => environmentId === one.environment.id);
    const rights = standing && rightsFrom({ ...standing, mayGrant: mayGrant(actor) });
    if (!rights?.view) return false;
    if (actor.type === 'api_key') return one.isApprover;
    if (one.areApproversRestricted) return one.isApprover || mayGrant(actor);
    return rights.define && isAsked(actor, head);
  };
  return new Set(rules.filter(may).map(({ environment }) => environment.id));
}

/** People are named by their addresses. */
const isAsked = ({ name }: Actor, { approvers }: ChangesetHead): boolean =>
  approvers.length === 0 || approvers.some((asked) => emailKey(asked) === emailKey(name));

/** Naming approvers asks for an approval where none is required. */
const isNeeded = ({ areRequired }: ApprovalRules, { head }: Pick<Reviewed, 'head'>): boolean =>
  areRequired || head.approvers.length > 0;

function whyWithout(rules: ApprovalRules, { head, operations }: Reviewed): NeededApproval['without'] {
  if (head.approvers.length > 0) return undefined;
  const all = [...operations, ...(head.schedule?.steps.flatMap((step) => step.operations) ?? [])];
  const here = all.filter(({ environment }) => environment?.id === rules.environment.id);
  if (rules.allowKills && here.every(({ edit }) => edit.kind === 'kill')) return 'kill';
  return rules.isSkipper ? 'skipped' : undefined;
}
