import { emptyLargeSegment, requestUpload } from '#commands/large-segments.ts';
import * as contract from '#contract/change-requests.ts';
import { uploadLargeSegment } from '#contract/uploads.ts';
import { toChangeRequest } from '#domain/change-requests.ts';
import { Problem } from '#domain/problems.ts';
import { findUpload, listChangeRequests, type UploadFilter } from '#store/change-requests.ts';
import { findSegment } from '#store/segments.ts';
import type { Reader } from '#store/sql.ts';
import { type Markers, markerPage } from '../paging/markers.ts';
import { implement } from '../pipeline/implement.ts';
import { noteOf } from '../pipeline/notes.ts';

/** What the vendor's statuses mean here. Its other statuses belong to approvals. */
const statuses: Readonly<Record<string, UploadFilter['status']>> = {
  REQUESTED: 'open',
  AWAITING: 'open',
  PUBLISHED: 'published',
  REJECTED: 'failed',
};

export const changeRequests = (db: Reader, markers: Markers) =>
  implement(contract, {
    submitChangeRequest: async ({ context, project, environment, body, serverUrl }) => {
      const { largeSegment, operationType } = body;
      if (!largeSegment || (operationType !== 'UPLOAD' && operationType !== 'ARCHIVE'))
        throw new Problem('change_request_unsupported');
      const { name } = largeSegment;
      const segment = await findSegment(db, { projectId: project.id, kind: 'large' }, name);
      if (!segment) throw new Problem('segment_not_found', { nameOrId: name });
      const change = { project, environment, segment, note: noteOf({}, body) };
      if (operationType === 'ARCHIVE') return toChangeRequest(await emptyLargeSegment(context, change));
      const { upload, token } = await requestUpload(context, change);
      const url = `${serverUrl}${uploadLargeSegment.path.replace(':token', token)}`;
      const headers = { Host: [new URL(serverUrl).host] };
      return toChangeRequest(upload, { method: 'PUT', url, headers });
    },
    listChangeRequests: async ({ actor, query: { status: word = 'REQUESTED', environmentId, ...page } }) => {
      const status = statuses[word];
      return markerPage(markers, page, contract.listChangeRequests.pageSize, {
        list: async (slice) => ({
          items: status ? await listChangeRequests(db, { scope: actor.scope, status, environmentId, ...slice }) : [],
        }),
        positionOf: ({ createdAt, id }) => ({ at: createdAt, id }),
        show: async (uploads) => uploads.map((upload) => toChangeRequest(upload)),
      });
    },
    getChangeRequest: async ({ actor, params }) => {
      const upload = await findUpload(db, params.changeRequest, actor.scope);
      if (!upload) throw new Problem('change_request_not_found', { nameOrId: params.changeRequest });
      return toChangeRequest(upload);
    },
  });
