import { Type } from 'typebox';
import { Patch } from '#domain/json-patch.ts';
import { ListedProject, NewProject, Project, ProjectCopy } from '#domain/projects.ts';
import { extend, OneOf } from '#domain/schema.ts';
import { endpoint } from './endpoint.ts';
import { NoteQuery, OffsetListing, OffsetPage, True } from './parts.ts';

const pageSize = { default: 50, max: 200 };

export const listProjects = endpoint({
  method: 'GET',
  path: '/workspaces',
  summary: 'List projects',
  description: 'Projects within the caller’s scope, in order of creation.',
  access: { needs: 'project.read', scope: 'environment' },
  pageSize,
  query: extend(
    OffsetPage(pageSize),
    Type.Object({
      name: Type.Optional(
        Type.String({ maxLength: 255, description: 'Projects with this name; `nameOp` says how it is compared.' }),
      ),
      nameOp: Type.Optional(
        OneOf(['IS', 'STARTS_WITH', 'CONTAINS'], {
          description: 'Default `IS`, which is exact. The others ignore case.',
        }),
      ),
      organizationIdentifier: Type.Optional(
        Type.String({ maxLength: 255, description: 'Sent by Harness clients. Has no effect; echoed in the response.' }),
      ),
      projectIdentifier: Type.Optional(
        Type.String({ maxLength: 255, description: 'Id or name of one project. Echoed in the response.' }),
      ),
      formerName: Type.Optional(
        Type.String({
          maxLength: 255,
          description:
            'The project that had this name before it was renamed, unless another one has it now. An addition to the ' +
            'vendor’s API.',
        }),
      ),
    }),
  ),
  reply: OffsetListing(ListedProject),
  problems: [],
});

export const createProject = endpoint({
  method: 'POST',
  path: '/workspaces',
  summary: 'Create a project',
  description:
    'Also creates its rollout statuses and the traffic type `user`. Without `environments`, it has no environments.',
  access: { needs: 'project.create', scope: 'account' },
  body: NewProject,
  reply: Project,
  problems: ['project_name_taken', 'environment_name_taken'],
});

export const patchProject = endpoint({
  method: 'PATCH',
  path: '/workspaces/:project',
  summary: 'Change a project',
  description: 'JSON Patch on `/name` and `/requiresTitleAndComments`.',
  access: { needs: 'project.write', scope: 'project' },
  body: Patch,
  reply: Project,
  problems: ['patch_invalid', 'project_name_taken'],
});

export const copyProject = endpoint({
  method: 'POST',
  path: '/workspaces/:project/copy',
  summary: 'Copy a project',
  description:
    'Creates a project with the same environments, access lists without API keys, rollout statuses, traffic types, ' +
    'attributes and flag sets, and if asked for with the same flags, which also needs the permissions to read and ' +
    'write flags and definitions. Definitions get seeds of their own. API keys, segments, archived flags and history ' +
    'are not copied. An addition to the vendor’s API.',
  access: { needs: 'project.create', scope: 'account' },
  body: ProjectCopy,
  reply: Project,
  problems: ['project_name_taken', 'project_too_large'],
});

export const deleteProject = endpoint({
  method: 'DELETE',
  path: '/workspaces/:project',
  summary: 'Delete a project',
  description:
    'Only if it has neither environments nor traffic types, unless `contents` says otherwise. Its API keys are revoked.',
  access: { needs: 'project.write', scope: 'project' },
  query: extend(
    NoteQuery,
    Type.Object({
      contents: Type.Optional(
        Type.Literal('delete', {
          description:
            'Also deletes everything in it, or nothing. Flags, definitions, segments and the keys of environments ' +
            'need the permissions to delete them, if there are any. An addition to the vendor’s API.',
        }),
      ),
    }),
  ),
  reply: True,
  problems: ['project_in_use', 'project_guarded', 'project_too_large', 'note_required'],
});
