import { type CountTransitions, draftChangeset, planChangeset } from '#commands/changeset-plans.ts';
import {
  approveChangeset,
  askForChanges,
  commentChangeset,
  rejectChangeset,
  requestChangeset,
  withdrawChangeset,
} from '#commands/changeset-reviews.ts';
import { applyChangeset, changeChangeset, createChangeset, revertChangeset } from '#commands/changesets.ts';
import * as contract from '#contract/changesets.ts';
import type { Delivery } from '#delivery/start.ts';
import { type CountedChange, countTransitions } from '#delivery/transitions.ts';
import type { Actor } from '#domain/access.ts';
import { toChangeset } from '#domain/changesets.ts';
import { dayMs } from '#domain/durations.ts';
import type { Subject } from '#domain/evaluation/evaluate.ts';
import { Problem, refuse } from '#domain/problems.ts';
import { listReviews } from '#store/approvals.ts';
import { findChangeset, listChangesets, listOperations } from '#store/changesets.ts';
import { findIdentities, type IdentityPlace, listIdentities } from '#store/identities.ts';
import type { Reader } from '#store/sql.ts';
import { type Markers, markerPage } from '../paging/markers.ts';
import { implement } from '../pipeline/implement.ts';
import { resolveProject } from '../pipeline/resolve.ts';

export interface ChangesetSettings {
  /** How long a request waits for approvals. */
  readonly requestDays: number;
}

export const lifeMsOf = ({ requestDays }: ChangesetSettings): number => requestDays * dayMs;

export const changesets = (
  db: Reader,
  markers: Markers,
  { delivery, ...settings }: ChangesetSettings & { readonly delivery: Delivery | undefined },
) => {
  const find = async (actor: Actor, id: string) => {
    const head = await findChangeset(db, id, actor);
    if (!head) throw new Problem('changeset_not_found', { nameOrId: id });
    const operations = (await listOperations(db, [id])).get(id) ?? [];
    return { head, operations, reviews: await listReviews(db, id) };
  };
  return implement(contract, {
    createChangeset: async ({ actor, context, body, query }) => {
      const { workspace, title = '', comment = '', operations } = body;
      const project = await resolveProject(db, actor, workspace.id);
      const fields = { project, title, comment, operations };
      return query.dryRun === 'true'
        ? draftChangeset(db, actor, fields, counterFor(db, delivery, actor))
        : createChangeset(context, fields);
    },
    listChangesets: async ({ actor, query }) => {
      const { workspaceId, status: state, flag, segment, environment: environmentId, reverts, ...rest } = query;
      const objectId = flag ?? segment;
      const { filter = 'all', ...page } = rest;
      refuse('request_invalid', [
        ...(environmentId !== undefined && objectId === undefined
          ? ['environment needs flag or segment: it says where']
          : []),
        ...(flag !== undefined && segment !== undefined ? ['flag and segment exclude each other'] : []),
      ]);
      const { id: projectId } = await resolveProject(db, actor, workspaceId);
      const concerning = filter === 'all' ? undefined : { actor, how: filter };
      const wanted = { state, objectId, environmentId, reverts, concerning };
      return markerPage(markers, page, contract.listChangesets.pageSize, {
        list: async (slice) => ({
          items: await listChangesets(db, { viewer: actor, projectId, ...wanted, ...slice }),
        }),
        positionOf: ({ createdAt, id }) => ({ at: createdAt, id }),
        show: async (heads) => {
          const operations = await listOperations(
            db,
            heads.map(({ id }) => id),
          );
          return heads.map((head) => toChangeset(head, operations.get(head.id) ?? []));
        },
      });
    },
    getChangeset: async ({ actor, params: { changeset: id } }) => {
      const { head, operations, reviews } = await find(actor, id);
      return toChangeset(head, operations, reviews);
    },
    getChangesetPlan: async ({ actor, params: { changeset: id } }) => {
      const found = await find(actor, id);
      const project = await resolveProject(db, actor, found.head.workspace.id);
      return planChangeset(db, { actor, project, ...found }, counterFor(db, delivery, actor));
    },
    changeChangeset: async ({ context, params, body, ifMatch }) =>
      changeChangeset(context, params.changeset, { ...body, ifMatch }),
    withdrawChangeset: async ({ context, params, ifMatch }) =>
      withdrawChangeset(context, params.changeset, { ifMatch }),
    requestChangeset: async ({ context, params, body = {}, ifMatch }) =>
      requestChangeset(context, params.changeset, { ...body, lifeMs: lifeMsOf(settings), ifMatch }),
    approveChangeset: async ({ context, params, body = {}, ifMatch }) =>
      approveChangeset(context, params.changeset, { ...body, ifMatch }),
    rejectChangeset: async ({ context, params, body = {}, ifMatch }) =>
      rejectChangeset(context, params.changeset, { ...body, ifMatch }),
    askForChanges: async ({ context, params, body, ifMatch }) =>
      askForChanges(context, params.changeset, { ...body, ifMatch }),
    commentChangeset: async ({ context, params, body }) => commentChangeset(context, params.changeset, body.comment),
    applyChangeset: async ({ context, params, ifMatch }) => applyChangeset(context, params.changeset, ifMatch),
    revertChangeset: async ({ context, params, body = {} }) => revertChangeset(context, params.changeset, body),
  });
};

/** Counts over keys that SDKs asked about lately, and over identities, if whoever asks may see them. */
const counterFor =
  (db: Reader, delivery: Delivery | undefined, actor: Actor): CountTransitions =>
  async (changes) => {
    const counted: CountedChange[] = [];
    for (const change of changes) {
      const { environmentId } = change;
      const isDelivered = delivery?.keys.environmentIds().has(environmentId) ?? false;
      const subjects = await seenSubjects(db, delivery?.recents.keysOf(environmentId) ?? [], {
        place: change,
        mayReadIdentities: actor.permissions.has('identity.read'),
      });
      const isAsked = isDelivered && subjects.length > 0;
      counted.push({
        ...change,
        subjects,
        snapshot: isAsked ? await delivery?.feed.current(environmentId) : undefined,
      });
    }
    return countTransitions(counted);
  };

const maxIdentities = 1_000;

interface Identities {
  readonly place: IdentityPlace;
  readonly mayReadIdentities: boolean;
}

/** Keys of identities come first, since their attributes are known. */
async function seenSubjects(
  db: Reader,
  keys: readonly string[],
  { place: { trafficTypeId, environmentId }, mayReadIdentities }: Identities,
): Promise<Subject[]> {
  const place = { trafficTypeId, environmentId };
  const page = { prefix: undefined, after: undefined, before: undefined, offset: 0, limit: maxIdentities };
  const found = mayReadIdentities
    ? [
        ...(await findIdentities(db, place, keys.slice(0, maxIdentities))),
        ...(await listIdentities(db, { ...place, ...page })),
      ]
    : [];
  const attributes = new Map(found.map(({ key, values }) => [key, values]));
  return [...new Set([...attributes.keys(), ...keys])].map((key) => ({ key, attributes: attributes.get(key) ?? {} }));
}
