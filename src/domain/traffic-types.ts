import Type, { type Static } from 'typebox';

export interface TrafficType {
  readonly id: string;
  readonly projectId: string;
  readonly name: string;
  readonly displayAttributeId: string;
}

export const NewTrafficType = Type.Object({
  name: Type.String({ pattern: '^[A-Za-z][-_A-Za-z0-9]*$', maxLength: 100 }),
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
