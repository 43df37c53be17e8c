import { decideChangeRequest, type NewRequest, submitChangeRequest } from '#commands/change-requests.ts';
import * as contract from '#contract/change-requests.ts';
import { SentForm } from '#contract/endpoint.ts';
import { uploadLargeSegment } from '#contract/uploads.ts';
import type { Actor } from '#domain/access.ts';
import {
  type ChangeRequest,
  type NewChangeRequest,
  type OperationType,
  operationsOf,
  operationTypes,
  scheduledTimeOf,
  toChangeRequest,
} from '#domain/change-requests.ts';
import { type ChangesetState, changesetStates } from '#domain/changesets.ts';
import { Problem, refuse } from '#domain/problems.ts';
import type { Project } from '#domain/projects.ts';
import type { Reference } from '#domain/schema.ts';
import { keysOfFile } from '#domain/segments.ts';
import { listApproverNames, listRemarks } from '#store/approvals.ts';
import { listRequests } from '#store/change-requests.ts';
import { type ChangesetHead, findChangeset, listOperations } from '#store/changesets.ts';
import { listTrafficTypesOf } from '#store/flags.ts';
import { listStatusNames } from '#store/rollout-statuses.ts';
import type { Reader } from '#store/sql.ts';
import { listAwaitingFile } from '#store/uploads.ts';
import { type Markers, markerPage } from '../paging/markers.ts';
import { type Call, implement } from '../pipeline/implement.ts';
import { noteOf } from '../pipeline/notes.ts';
import { type ChangesetSettings, lifeMsOf } from './changesets.ts';

export const changeRequests = (db: Reader, markers: Markers, settings: ChangesetSettings) => {
  const find = async (actor: Actor, id: string, address?: ChangeRequest['transactionMetadata']) => {
    const head = await findChangeset(db, id, actor);
    const [shown] = head?.operationType === undefined ? [] : await show(db, [head], address);
    if (!shown) throw new Problem('change_request_not_found', { nameOrId: id });
    return shown;
  };
  const toNew = (project: Project, environment: Reference, sent: NewChangeRequest): NewRequest => ({
    project,
    operationType: sent.operationType,
    operations: operationsOf(sent, environment.id),
    note: noteOf({}, sent),
    approvers: sent.approvers ?? [],
    at: scheduledTimeOf(sent),
    lifeMs: lifeMsOf(settings),
  });
  return implement(contract, {
    submitChangeRequest: async ({ actor, context, project, environment, body, serverUrl }) => {
      const { id, token } = await submitChangeRequest(context, toNew(project, environment, body));
      if (token === undefined) return find(actor, id);
      const url = `${serverUrl}${uploadLargeSegment.path.replace(':token', token)}`;
      return find(actor, id, { method: 'PUT', url, headers: { Host: [new URL(serverUrl).host] } });
    },
    submitKeyFile: async ({ actor, context, project, environment, body }) => {
      const { id } = await submitChangeRequest(context, toNew(project, environment, fromForm(body)));
      return find(actor, id);
    },
    listChangeRequests: async ({ actor, query: { status, environmentId, ...page } }) =>
      markerPage(markers, page, contract.listChangeRequests.pageSize, {
        list: async (slice) => ({
          items: await listRequests(db, { viewer: actor, ...wantedBy(status), environmentId, ...slice }),
        }),
        positionOf: ({ createdAt, id }) => ({ at: createdAt, id }),
        show: (heads) => show(db, heads),
      }),
    getChangeRequest: async ({ actor, params }) => find(actor, params.changeRequest),
    decideChangeRequest: async ({ actor, context, params: { changeRequest: id }, body: { status, comment } }) => {
      await decideChangeRequest(context, id, { status, comment: comment ?? undefined });
      return find(actor, id);
    },
  });
};

/** Drafts wait for their file, or did in vain. */
function wantedBy(status = 'REQUESTED'): { states: readonly ChangesetState[]; uploads: 'open' | 'failed' | undefined } {
  const states = changesetStates.filter((state) => state === status && state !== 'DRAFT');
  if (status === 'REQUESTED' || status === 'AWAITING') return { states, uploads: 'open' };
  return { states, uploads: status === 'REJECTED' ? 'failed' : undefined };
}

type SentFile = Call<typeof contract.submitKeyFile>['body'];

function fromForm(body: SentFile): NewChangeRequest {
  const sent = body instanceof SentForm ? { ...body.parts, keys: keysOfFile(body.file.text) } : body;
  const { segmentName = '', keys, operationType = 'CREATE', title, comment, approvers = '' } = sent as Parts;
  refuse('request_invalid', [
    ...(segmentName === '' ? ['segmentName is required'] : []),
    ...(isKnown(operationType) ? [] : [`operationType must be one of ${operationTypes.join(', ')}`]),
  ]);
  const asked = approvers.split(',').map((one) => one.trim());
  return {
    segment: { name: segmentName, keys },
    operationType: operationType as OperationType,
    title: title ?? null,
    comment: comment ?? null,
    approvers: asked.filter((one) => one !== ''),
  };
}

type Parts = Readonly<Partial<Record<'segmentName' | 'operationType' | 'title' | 'comment' | 'approvers', string>>> & {
  readonly keys: readonly string[];
};

const isKnown = (word: string): boolean => (operationTypes as readonly string[]).includes(word);

/** What a page of them shows, in a few statements. */
async function show(db: Reader, heads: readonly ChangesetHead[], address?: ChangeRequest['transactionMetadata']) {
  const ids = heads.map(({ id }) => id);
  const operations = await listOperations(db, ids);
  const all = [...operations.values()].flat();
  const idsOf = (kind: string) => all.flatMap((one) => (one.kind === kind ? [one.object.id] : []));
  const environments = [...new Set(all.flatMap(({ environment }) => environment?.id ?? []))];
  const remarks = await listRemarks(db, ids);
  const approvers = await listApproverNames(db, environments);
  const trafficTypes = await listTrafficTypesOf(db, idsOf('definition'));
  const statuses = await listStatusNames(
    db,
    idsOf('flag').length > 0 ? heads.map(({ workspace }) => workspace.id) : [],
  );
  const awaiting = await listAwaitingFile(db, ids);
  return heads.map((head) => {
    const own = operations.get(head.id) ?? [];
    const [first, second] = own;
    return toChangeRequest(head, own, {
      reviews: remarks.get(head.id) ?? [],
      approverNames: approvers.get(first?.environment?.id ?? '') ?? [],
      trafficType: trafficTypes.get(first?.object.id ?? ''),
      statusName: statuses.get(String(second?.edit.operations?.[0]?.value)),
      isAwaitingFile: awaiting.has(head.id),
      address: address ?? null,
    });
  });
}
