/** Named sets of flags: SDKs can ask for the flags of some sets only. Definitions say which sets they are in. */
import { type Static, Type } from 'typebox';
import { Description, Id, patterns } from './schema.ts';

export interface FlagSet {
  readonly id: string;
  readonly projectId: string;
  readonly name: string;
  readonly description: string;
  readonly createdAt: number;
}

/** Clients send `workspace.type` in upper or lower case, or not at all. */
export const NewFlagSet = Type.Object({
  name: Type.String({ pattern: patterns.flagSetName, maxLength: 50 }),
  description: Type.Optional(Description),
  workspace: Type.Object({ id: Type.Unsafe<string>({ ...Id, description: 'Id or name of the project.' }) }),
});

export const FlagSetReply = Type.Object({
  id: Type.String(),
  name: Type.String(),
  description: Type.String(),
  workspace: Type.Object({ id: Type.String(), type: Type.Literal('workspace') }),
  createdAt: Type.String({ description: 'ISO 8601 in UTC, with microseconds' }),
  type: Type.Literal('flag_set'),
});
export type FlagSetReply = Static<typeof FlagSetReply>;

export const toFlagSetReply = ({ id, name, description, projectId, createdAt }: FlagSet): FlagSetReply => ({
  id,
  name,
  description,
  workspace: { id: projectId, type: 'workspace' },
  // Go clients parse exactly this form.
  createdAt: new Date(createdAt).toISOString().replace('Z', '000Z'),
  type: 'flag_set',
});

/** A flag set as a definition names it. */
export const FlagSetLink = Type.Object({ id: Type.String({ minLength: 1 }), type: Type.Literal('flag_set') });
export type FlagSetLink = Static<typeof FlagSetLink>;
