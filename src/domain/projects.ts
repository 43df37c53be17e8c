import { type Static, Type } from 'typebox';
import { EnvironmentName } from './environments.ts';
import { applyPatch, type Operation } from './json-patch.ts';
import { Problem, refuse } from './problems.ts';
import { BooleanOrText, extend, Title, toBoolean } from './schema.ts';
import { shapeOf } from './shapes.ts';

export const Project = Type.Object({
  name: Type.String(),
  type: Type.Literal('workspace'),
  id: Type.String(),
  requiresTitleAndComments: Type.Boolean(),
});
export type Project = Static<typeof Project>;

/** A project in lists. Harness clients search by the two identifiers and read them from the response. */
export const ListedProject = extend(
  Project,
  Type.Object({
    organizationIdentifier: Type.Optional(Type.String({ description: 'as in the query; absent without it' })),
    projectIdentifier: Type.Optional(Type.String({ description: 'as in the query; absent without it' })),
  }),
);

/** More can be created one by one. */
export const maxNewEnvironments = 10;

export const NewProject = Type.Object({
  name: Title,
  requiresTitleAndComments: Type.Optional(BooleanOrText),
  environments: Type.Optional(
    Type.Array(Type.Object({ name: EnvironmentName, production: Type.Optional(BooleanOrText) }), {
      maxItems: maxNewEnvironments,
      description: 'created with the project, without keys; none if absent. An addition to the vendor’s API.',
    }),
  ),
});

export const ProjectCopy = Type.Object({
  name: Title,
  flags: Type.Optional(
    Type.Boolean({ description: 'copies the flags that are not archived, with their definitions; default false' }),
  ),
});
export type ProjectCopy = Static<typeof ProjectCopy>;

const settings = shapeOf(Type.Object({ name: Title, requiresTitleAndComments: BooleanOrText }), 'project');
const patchable = {
  mayName: /^\/(name|requiresTitleAndComments)$/,
  changeable: ['name', 'requiresTitleAndComments'],
};

/** Returns the project after a patch, or refuses with `patch_invalid`. */
export function applyProjectPatch(project: Project, operations: readonly Operation[]): Project {
  const patched = applyPatch(project, operations, patchable);
  refuse('patch_invalid', settings.complaints(patched));
  const { name, requiresTitleAndComments } = settings.clean(patched);
  return { ...project, name, requiresTitleAndComments: toBoolean(requiresTitleAndComments) };
}

/** Why a change was made, for the audit log. */
export interface Note {
  readonly title?: string | undefined;
  readonly comment?: string | undefined;
}

/** Refuses a change without title and comment if the project requires them. Empty counts as missing. */
export function checkNote(project: Project, note: Note): void {
  if (project.requiresTitleAndComments && !(note.title?.trim() && note.comment?.trim()))
    throw new Problem('note_required');
}
