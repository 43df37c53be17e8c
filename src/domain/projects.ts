import Type, { type Static } from 'typebox';
import { Problem } from './problems.ts';
import { BooleanOrText, Title } from './schema.ts';

export const Project = Type.Object({
  name: Type.String(),
  type: Type.Literal('workspace'),
  id: Type.String(),
  requiresTitleAndComments: Type.Boolean(),
});
export type Project = Static<typeof Project>;

export const NewProject = Type.Object({
  name: Title,
  requiresTitleAndComments: Type.Optional(BooleanOrText),
});

/** What a patch may change. */
export const ProjectSettings = Type.Object({ name: Title, requiresTitleAndComments: BooleanOrText });

/** Why a change was made, for the audit log. */
export interface Note {
  readonly title?: string | undefined;
  readonly comment?: string | undefined;
}

/** Refuses a change without title and comment where the project demands them. Empty counts as missing. */
export function requireNote(project: Project, note: Note): void {
  if (project.requiresTitleAndComments && !(note.title && note.comment)) throw new Problem('note_required');
}
