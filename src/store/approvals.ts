/** Which environments require approvals, who may give them, and what people said about a changeset. */
import sql, { join, raw, type Sql } from 'sql-template-tag';
import { type Actor, mayGrant } from '#domain/access.ts';
import type { Review } from '#domain/approvals.ts';
import { administrators } from '#domain/groups.ts';
import type { Reference } from '#domain/schema.ts';
import { findFirstPeople } from './people-parts.ts';
import { owns } from './rights.ts';
import { isOnList, isOpenTo, type Listed } from './scope-filter.ts';
import type { Reader, Tx } from './sql.ts';

/** What an environment requires, and what its lists say about an actor. */
export interface ApprovalRules {
  readonly environment: Reference;
  readonly areRequired: boolean;
  readonly allowKills: boolean;
  readonly areApproversRestricted: boolean;
  readonly isApprover: boolean;
  readonly isSkipper: boolean;
}

interface RulesRow {
  /** Its place among the actors. */
  readonly actor: number;
  readonly id: string;
  readonly name: string;
  readonly are_approvals_required: boolean | number;
  readonly allow_kills: boolean | number;
  readonly are_approvers_restricted: boolean | number;
  readonly is_approver: boolean | number;
  readonly is_skipper: boolean | number;
}

/** The grantees of an operation in the environment `e`. */
const granted = (operation: 'approve' | 'edit' | 'skip') => sql`
  select g.grantee_type as type, g.grantee_id as id from environment_grants g
   where g.environment_id = e.id and g.operation = ${operation}`;

const listedAs = ({ type, id }: Pick<Actor, 'type' | 'id'>): Listed => ({
  type: type === 'api_key' ? 'api_key' : 'user',
  id: sql`${id}`,
});

/**
 * The environment `e` requires approvals, or approvers were named, and its lists let the actor approve. Project-wide
 * rights are not considered.
 */
export function isApprover(actor: Actor): Sql {
  const who = listedAs(actor);
  const isListed = isOnList(granted('approve'), who);
  if (actor.type === 'api_key') return isListed;
  if (mayGrant(actor)) return sql`1 = 1`;
  return sql`case when e.are_approvers_restricted then ${isListed}
                  else not e.are_editors_restricted or ${isOnList(granted('edit'), who)} end`;
}

/**
 * The lists let them make every change of the changeset `c` in the project `p`. Those who can only kill and restore are
 * left out.
 */
function isEditor(who: Listed): Sql {
  const editors = sql`select t.editor_type as type, t.editor_id as id from project_editors t where t.project_id = p.id`;
  return sql`not exists (
    select 1 from changeset_operations o left join environments e on e.id = o.environment_id
     where o.changeset_id = c.id
       and not (p.owners_can_edit and ${owns(who, sql`o.object_id`)}
                or (p.is_edit_restricted = false or ${isOnList(editors, who)})
                   and (o.environment_id = '' or e.are_editors_restricted = false
                        or ${isOnList(granted('edit'), who)})))`;
}

/** The changeset `c` in the project `p` waits for someone who can apply it, and the lists allow this person to. */
export function isAwaitedEditor(actor: Actor): Sql {
  if (actor.type !== 'user') return sql`1 = 0`;
  return mayGrant(actor) ? sql`1 = 1` : isEditor(listedAs(actor));
}

/** People, other than the author, who can apply the stored changeset; of many, the first. */
export async function listEditors(db: Reader, changesetId: string, limit: number): Promise<ActivePerson[]> {
  const user: Listed = { type: 'user', id: sql`u.id` };
  const rows = await findFirstPeople(db, limit, (part, wanted) =>
    db.all<PersonRow>(sql`
      select ${personColumns} from changesets c join projects p on p.id = c.project_id cross join users u
       where c.id = ${changesetId} and ${part} and u.status = 'ACTIVE'
         and not (c.author_type = 'user' and c.author_id = u.id)
         and (${isAdministrator} or ${isOpenTo(user)} and ${isEditor(user)})
       order by u.created_at, u.id limit ${wanted}`),
  );
  return rows.map(toPerson);
}

export const listApprovalRules = async (
  db: Reader,
  environmentIds: readonly string[],
  actor: Pick<Actor, 'type' | 'id'>,
): Promise<ApprovalRules[]> => (await listApprovalRulesOf(db, environmentIds, [actor]))[0] ?? [];

/** The same for several actors, in their order, in one statement. */
export async function listApprovalRulesOf(
  db: Reader,
  environmentIds: readonly string[],
  actors: readonly Pick<Actor, 'type' | 'id'>[],
): Promise<ApprovalRules[][]> {
  if (environmentIds.length === 0) return actors.map(() => []);
  const about = (actor: Pick<Actor, 'type' | 'id'>, index: number) => sql`
    select ${raw(String(index))} as actor, e.id, e.name, e.are_approvals_required, e.allow_kills,
           e.are_approvers_restricted, ${isOnList(granted('approve'), listedAs(actor))} as is_approver,
           ${isOnList(granted('skip'), listedAs(actor))} as is_skipper
      from environments e where e.id in (${join([...environmentIds])})`;
  const rows = await db.all<RulesRow>(join(actors.map(about), ' union all '));
  return actors.map((_, index) => rows.filter(({ actor }) => actor === index).map(toRules));
}

const toRules = (row: RulesRow): ApprovalRules => ({
  environment: { id: row.id, name: row.name },
  areRequired: Boolean(row.are_approvals_required),
  allowKills: Boolean(row.allow_kills),
  areApproversRestricted: Boolean(row.are_approvers_restricted),
  isApprover: Boolean(row.is_approver),
  isSkipper: Boolean(row.is_skipper),
});

/** A user who can sign in. */
export interface ActivePerson {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly isAdministrator: boolean;
}

export async function listActivePeople(db: Reader, ids: readonly string[]): Promise<ActivePerson[]> {
  if (ids.length === 0) return [];
  const rows = await db.all<PersonRow>(sql`
    select ${personColumns} from users u where u.id in (${join([...ids])}) and u.status = 'ACTIVE'`);
  return rows.map(toPerson);
}

interface PersonRow extends Omit<ActivePerson, 'isAdministrator'> {
  readonly is_administrator: boolean | number;
}

const isAdministrator = sql`
  exists (select 1 from memberships m join groups g on g.id = m.group_id
           where m.user_id = u.id and g.name = ${administrators.name})`;
const personColumns = sql`u.id, u.email, u.name, ${isAdministrator} as is_administrator`;

const toPerson = ({ is_administrator, ...person }: PersonRow): ActivePerson => ({
  ...person,
  isAdministrator: Boolean(is_administrator),
});

export interface ApproverFilter {
  readonly projectId: string;
  /** Those whose lists count. */
  readonly environmentIds: readonly string[];
  /** Keys of addresses; empty: everyone on the lists. */
  readonly emailKeys: readonly string[];
}

/** People who see the project and whom the lists let approve, or who were named. Rights to edit are not considered. */
export async function listPossibleApprovers(
  db: Reader,
  { projectId, environmentIds, emailKeys }: ApproverFilter,
  limit: number,
): Promise<ActivePerson[]> {
  if (environmentIds.length === 0) return [];
  const user: Listed = { type: 'user', id: sql`u.id` };
  const isListed = sql`
    exists (select 1 from environments e
             where e.id in (${join([...environmentIds])})
               and case when e.are_approvers_restricted then ${isOnList(granted('approve'), user)}
                        else not e.are_editors_restricted or ${isOnList(granted('edit'), user)} end)`;
  const findWho = (condition: Sql, wanted: number) =>
    db.all<PersonRow>(sql`
      select ${personColumns} from projects p cross join users u
       where p.id = ${projectId} and u.status = 'ACTIVE' and ${isOpenTo(user)} and ${condition}
       order by u.created_at, u.id limit ${wanted}`);
  const rows =
    emailKeys.length > 0
      ? await findWho(sql`u.email_key in (${join([...emailKeys])})`, limit)
      : await findFirstPeople(db, limit, (part, wanted) => findWho(sql`${part} and ${isListed}`, wanted));
  return rows.map(toPerson);
}

interface ReviewRow {
  readonly id: string;
  readonly kind: Review['kind'];
  readonly actor_type: string;
  readonly actor_id: string;
  readonly actor_name: string;
  readonly comment: string;
  readonly content_hash: string | null;
  readonly created_at: number;
  readonly voided_at: number | null;
}

/** A review with the hash of what was approved. */
export type StoredReview = Review & { readonly id: string; readonly contentHash: string | undefined };

const toReview = (row: ReviewRow): StoredReview => ({
  id: row.id,
  kind: row.kind,
  by: { type: row.actor_type, id: row.actor_id, name: row.actor_name },
  comment: row.comment,
  at: row.created_at,
  ...(row.voided_at === null ? {} : { voidedAt: row.voided_at }),
  contentHash: row.content_hash ?? undefined,
});

/** In their order. */
export async function listReviews(db: Reader, changesetId: string): Promise<StoredReview[]> {
  const rows = await db.all<ReviewRow>(sql`
    select id, kind, actor_type, actor_id, actor_name, comment, content_hash, created_at, voided_at
      from changeset_reviews where changeset_id = ${changesetId} order by created_at, id`);
  return rows.map(toReview);
}

/** Of a page of changesets. */
const maxRemarks = 5_000;

/** What people wrote about each changeset, in order. */
export async function listRemarks(db: Reader, ids: readonly string[]): Promise<Map<string, StoredReview[]>> {
  if (ids.length === 0) return new Map();
  const rows = await db.all<ReviewRow & { readonly changeset_id: string }>(sql`
    select changeset_id, id, kind, actor_type, actor_id, actor_name, comment, content_hash, created_at, voided_at
      from changeset_reviews where changeset_id in (${join([...ids])}) and comment <> '' and kind <> 'fail'
     order by changeset_id, created_at, id limit ${maxRemarks}`);
  const all = new Map<string, StoredReview[]>(ids.map((id) => [id, []]));
  for (const row of rows) all.get(row.changeset_id)?.push(toReview(row));
  return all;
}

const maxNamed = 1_000;

/** The approvers of environments that restrict them: email addresses, and names of groups and keys. */
export async function listApproverNames(db: Reader, environmentIds: readonly string[]): Promise<Map<string, string[]>> {
  if (environmentIds.length === 0) return new Map();
  const rows = await db.all<{ environment_id: string; name: string }>(sql`
    select g.environment_id, coalesce(u.email, k.name, r.name) as name
      from environment_grants g join environments e on e.id = g.environment_id
      left join users u on g.grantee_type = 'user' and u.id = g.grantee_id
      left join api_keys k on g.grantee_type = 'api_key' and k.id = g.grantee_id
      left join groups r on g.grantee_type = 'group' and r.id = g.grantee_id
     where g.environment_id in (${join([...environmentIds])}) and g.operation = 'approve' and e.are_approvers_restricted
       and coalesce(u.email, k.name, r.name) is not null
     order by g.environment_id, g.position limit ${maxNamed}`);
  const all = new Map<string, string[]>(environmentIds.map((id) => [id, []]));
  for (const { environment_id, name } of rows) all.get(environment_id)?.push(name);
  return all;
}

export const insertReview = (tx: Tx, changesetId: string, review: StoredReview) =>
  tx.run(sql`
    insert into changeset_reviews (id, changeset_id, kind, actor_type, actor_id, actor_name, comment, content_hash,
                                   created_at)
    values (${review.id}, ${changesetId}, ${review.kind}, ${review.by.type}, ${review.by.id}, ${review.by.name},
            ${review.comment}, ${review.contentHash ?? null}, ${review.at})`);

/** They stay visible. */
export const voidApprovals = (tx: Tx, changesetId: string) =>
  tx.run(sql`
    update changeset_reviews set voided_at = ${tx.now}
     where changeset_id = ${changesetId} and kind = 'approve' and voided_at is null`);
