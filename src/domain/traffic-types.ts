import { type Static, Type } from 'typebox';
import { patterns } from './schema.ts';

export interface TrafficType {
  readonly id: string;
  readonly projectId: string;
  readonly name: string;
  readonly displayAttributeId: string;
}

export const NewTrafficType = Type.Object({
  name: Type.String({ pattern: patterns.trafficTypeName, maxLength: 100 }),
  displayAttributeId: Type.Optional(Type.String({ maxLength: 200 })),
});
export type NewTrafficType = Static<typeof NewTrafficType>;

export const TrafficTypeReply = Type.Object({
  name: Type.String(),
  type: Type.Literal('trafficType'),
  id: Type.String(),
  displayAttributeId: Type.String(),
  workspace: Type.Object({ id: Type.String(), name: Type.String(), type: Type.Literal('workspace') }),
});
export type TrafficTypeReply = Static<typeof TrafficTypeReply>;

export const toTrafficTypeReply = (
  { id, name, displayAttributeId }: TrafficType,
  project: { id: string; name: string },
): TrafficTypeReply => ({
  name,
  type: 'trafficType',
  id,
  displayAttributeId,
  workspace: { id: project.id, name: project.name, type: 'workspace' },
});
