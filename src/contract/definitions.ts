import { Type } from 'typebox';
import { Definition, DefinitionBody } from '#domain/definitions/definition.ts';
import { Patch } from '#domain/json-patch.ts';
import { extend } from '#domain/schema.ts';
import { endpoint } from './endpoint.ts';
import { Archived, NoteQuery, OffsetListing, OffsetPage, True } from './parts.ts';

const path = '/splits/ws/:project/:flag/environments/:environment';
const read = { needs: 'definition.read', scope: 'environment' } as const;
const write = { needs: 'definition.write', scope: 'environment' } as const;
const killOrRestore = { needs: 'definition.kill', scope: 'environment' } as const;

const pageSize = { default: 20, max: 50 };

export const listDefinitions = endpoint({
  method: 'GET',
  path: '/splits/ws/:project/environments/:environment',
  summary: 'List definitions',
  description: 'All definitions in the environment, in order of creation, except those of archived flags.',
  access: read,
  pageSize,
  query: extend(OffsetPage(pageSize), Type.Object({ archived: Archived('definitions of archived flags') })),
  reply: OffsetListing(Definition),
  problems: ['too_many_large_responses'],
});

export const getDefinition = endpoint({
  method: 'GET',
  path,
  summary: 'Get a definition',
  access: read,
  reply: Definition,
  versioned: true,
  cacheTag: 'definition',
  problems: [],
});

export const createDefinition = endpoint({
  method: 'POST',
  path,
  summary: 'Create a definition',
  description: 'Defines a flag in an environment that has no definition of it yet.',
  access: write,
  query: NoteQuery,
  looseBody: DefinitionBody,
  reply: Definition,
  versioned: true,
  problems: [
    'approvals_required',
    'flag_archived',
    'definition_exists',
    'definition_invalid',
    'note_required',
    'precondition_failed',
  ],
});

export const replaceDefinition = endpoint({
  method: 'PUT',
  path,
  summary: 'Replace a definition',
  access: write,
  query: NoteQuery,
  looseBody: DefinitionBody,
  reply: Definition,
  versioned: true,
  problems: ['approvals_required', 'flag_archived', 'definition_invalid', 'note_required', 'precondition_failed'],
});

export const patchDefinition = endpoint({
  method: 'PATCH',
  path,
  summary: 'Change a definition',
  description: 'JSON Patch, all or nothing.',
  access: write,
  query: NoteQuery,
  body: Patch,
  reply: Definition,
  versioned: true,
  problems: [
    'approvals_required',
    'flag_archived',
    'patch_invalid',
    'definition_invalid',
    'note_required',
    'precondition_failed',
  ],
});

export const deleteDefinition = endpoint({
  method: 'DELETE',
  path,
  summary: 'Delete a definition',
  description: 'The flag and its definitions in other environments stay.',
  access: write,
  query: NoteQuery,
  reply: True,
  versioned: true,
  problems: ['approvals_required', 'note_required', 'precondition_failed'],
});

export const undeleteDefinition = endpoint({
  method: 'POST',
  path: `${path}/undelete`,
  summary: 'Restore a deleted definition',
  description:
    'From the audit log: the definition as it was when it was last deleted in this environment, with its seeds, so that ' +
    'every key gets what it got before. Flag sets that were deleted meanwhile are left out. An addition to the vendor’s ' +
    'API.',
  access: write,
  query: NoteQuery,
  body: NoteQuery,
  bodyIsOptional: true,
  reply: Definition,
  versioned: true,
  problems: [
    'deleted_definition_not_found',
    'approvals_required',
    'flag_archived',
    'definition_exists',
    'definition_invalid',
    'note_required',
    'precondition_failed',
  ],
});

/** Kill and restore accept PUT and POST, because clients use either. */
const switching = {
  access: killOrRestore,
  query: NoteQuery,
  body: NoteQuery,
  bodyIsOptional: true,
  reply: Definition,
  versioned: true,
  problems: ['approvals_required', 'flag_archived', 'note_required', 'precondition_failed'],
} as const;
const kill = {
  ...switching,
  path: `${path}/kill`,
  summary: 'Kill',
  description: 'Everyone gets the default treatment, whatever the rules say. PUT and POST do the same.',
} as const;
const restore = {
  ...switching,
  path: `${path}/restore`,
  summary: 'Restore',
  description: 'Applies the rules again. PUT and POST do the same.',
} as const;

export const killDefinition = endpoint({ method: 'PUT', ...kill });
export const killDefinitionByPost = endpoint({ method: 'POST', ...kill });
export const restoreDefinition = endpoint({ method: 'PUT', ...restore });
export const restoreDefinitionByPost = endpoint({ method: 'POST', ...restore });
