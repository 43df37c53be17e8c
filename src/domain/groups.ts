import { type Static, Type } from 'typebox';
import { Problem, refuse } from './problems.ts';
import { Description, Title } from './schema.ts';

export const Group = Type.Object({
  id: Type.String(),
  name: Type.String(),
  description: Type.String(),
  type: Type.Literal('group'),
});
export type Group = Static<typeof Group>;

export const NewGroup = Type.Object({ name: Title, description: Type.Optional(Description) });

export const GroupUpdate = Type.Object({
  id: Type.Optional(Type.String()),
  name: Type.Optional(Title),
  description: Type.Optional(Description),
  type: Type.Optional(Type.String()),
});
export type GroupUpdate = Static<typeof GroupUpdate>;

/** The group whose members may do everything. Created at the first start, cannot be deleted. */
export const administrators = {
  name: 'Administrators',
  description: 'Grants access to advanced administrative features',
} as const;

/** Returns the group after an update. An absent name or description is kept, because clients send only one of them. */
export function applyGroupUpdate(group: Group, update: GroupUpdate): Group {
  const { name = group.name, description = group.description } = update;
  refuse('group_invalid', [
    ...(update.id === undefined || update.id === group.id ? [] : ['id must agree with the path']),
    ...(update.type === undefined || update.type === 'group' ? [] : ['type must be group']),
  ]);
  if (group.name === administrators.name && name !== group.name) throw new Problem('group_protected');
  return { ...group, name, description };
}
