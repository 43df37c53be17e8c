import * as contract from '#contract/changes.ts';
import { findChanges, listChanges } from '#store/changes.ts';
import type { Reader } from '#store/sql.ts';
import { type Markers, markerPage } from '../paging/markers.ts';
import { implement } from '../pipeline/implement.ts';

export const changes = (db: Reader, markers: Markers) =>
  implement(contract, {
    listChanges: async ({ actor: { scope }, query }) => {
      const { workspaceId: projectId, environmentId, objectType, objectId, actor: actorId, from, to, ...page } = query;
      const filter = { scope, projectId, environmentId, objectType, objectId, actorId, from, to };
      return markerPage(markers, page, contract.listChanges.pageSize, {
        list: (slice) => listChanges(db, { ...filter, ...slice }),
        positionOf: (place) => place,
        bytesOf: (place) => place.bytes,
        show: (places) =>
          findChanges(
            db,
            places.map(({ id }) => id),
            scope,
          ),
      });
    },
  });
