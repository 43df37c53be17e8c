import { createTrafficType, deleteTrafficType } from '#commands/traffic-types.ts';
import * as contract from '#contract/traffic-types.ts';
import { toTrafficTypeReply } from '#domain/traffic-types.ts';
import type { Reader } from '#store/sql.ts';
import { listTrafficTypes } from '#store/traffic-types.ts';
import { implement } from '../pipeline/implement.ts';
import { resolveTrafficTypeById } from '../pipeline/resolve.ts';

export const trafficTypes = (db: Reader) =>
  implement(contract, {
    listTrafficTypes: async ({ project }) =>
      (await listTrafficTypes(db, project.id)).map((trafficType) => toTrafficTypeReply(trafficType, project)),
    createTrafficType: async ({ context, project, body }) =>
      toTrafficTypeReply(await createTrafficType(context, project, body), project),
    deleteTrafficType: async ({ actor, context, params }) =>
      deleteTrafficType(context, await resolveTrafficTypeById(db, actor, params.trafficTypeId)),
  });
