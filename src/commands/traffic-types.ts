import { v7 as newId } from 'uuid';
import { Problem } from '#domain/problems.ts';
import type { Project } from '#domain/projects.ts';
import type { NewTrafficType, TrafficType } from '#domain/traffic-types.ts';
import { listAttributes } from '#store/attributes.ts';
import { deleteIdentitiesOf } from '#store/identities.ts';
import { lockProject } from '#store/projects.ts';
import * as store from '#store/traffic-types.ts';
import { deleteAttributeIn } from './attributes.ts';
import { type Context, type Entry, type RecordingTx, write } from './context.ts';

export const createTrafficType = (context: Context, project: Project, fields: NewTrafficType) =>
  write(context, (tx) => createTrafficTypeIn(tx, project, fields));

export async function createTrafficTypeIn(tx: RecordingTx, project: Project, fields: NewTrafficType) {
  await lockProject(tx, project.id);
  const { name, displayAttributeId = '' } = fields;
  const trafficType: TrafficType = { id: newId(), projectId: project.id, name, displayAttributeId };
  await store.insertTrafficType(tx, trafficType);
  await tx.record({ ...entry('trafficType.created', trafficType), after: trafficType });
  return trafficType;
}

/** Deletes a traffic type that no flag and no segment uses, with its attributes and identities. */
export const deleteTrafficType = (context: Context, trafficType: TrafficType) =>
  write(context, (tx) => deleteTrafficTypeIn(tx, trafficType));

export async function deleteTrafficTypeIn(tx: RecordingTx, trafficType: TrafficType) {
  const { id, name } = trafficType;
  await store.lockTrafficType(tx, trafficType);
  if (await store.isTrafficTypeInUse(tx, id)) throw new Problem('traffic_type_in_use', { name });
  for (const attribute of await listAttributes(tx, id)) {
    await deleteAttributeIn(tx, { trafficType, id: attribute.id });
  }
  const identities = await deleteIdentitiesOf(tx, { trafficTypeId: id });
  await store.deleteTrafficType(tx, id);
  await tx.record({
    ...entry('trafficType.deleted', trafficType),
    before: identities > 0 ? { ...trafficType, identities } : trafficType,
  });
  return true as const;
}

const entry = (action: Entry['action'], { id, name, projectId }: TrafficType) => ({
  action,
  object: { type: 'trafficType' as const, id, name },
  project: { id: projectId },
});
