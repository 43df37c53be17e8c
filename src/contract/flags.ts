import Type from 'typebox';
import { Flag, FlagWithOwners, NewFlag } from '#domain/flags.ts';
import { Patch } from '#domain/json-patch.ts';
import { endpoint } from './endpoint.ts';
import { extend, NoteQuery, OffsetListing, OffsetPage, pageSizes, True } from './parts.ts';

export const createFlag = endpoint({
  method: 'POST',
  path: '/splits/ws/:project/trafficTypes/:trafficType',
  summary: 'Create a flag; its traffic type is the one of the path',
  access: { needs: 'flag.write', scope: 'project' },
  body: NewFlag,
  reply: Flag,
  versioned: true,
  problems: ['flag_invalid', 'flag_name_taken'],
});

export const listFlags = endpoint({
  method: 'GET',
  path: '/splits/ws/:project',
  summary: 'List the flags of a project, in order of creation',
  access: { needs: 'flag.read', scope: 'project' },
  query: extend(
    OffsetPage(pageSizes.flags),
    Type.Object({
      tag: Type.Optional(
        Type.Array(Type.String(), { maxItems: 50, description: 'repeatable: flags with any of these tags' }),
      ),
      name: Type.Optional(Type.String({ maxLength: 255, description: 'flags whose name contains this, without case' })),
      rolloutStatus: Type.Optional(Type.String({ description: 'id of a rollout status' })),
    }),
  ),
  reply: OffsetListing(FlagWithOwners),
  problems: [],
});

export const getFlag = endpoint({
  method: 'GET',
  path: '/splits/ws/:project/:flag',
  summary: 'Read a flag, by name or id',
  access: { needs: 'flag.read', scope: 'project' },
  reply: FlagWithOwners,
  versioned: true,
  problems: [],
});

export const patchFlag = endpoint({
  method: 'PATCH',
  path: '/splits/ws/:project/:flag',
  summary: 'Change /description, /tags or /rolloutStatus by JSON Patch',
  access: { needs: 'flag.write', scope: 'project' },
  query: NoteQuery,
  body: Patch,
  reply: Flag,
  versioned: true,
  problems: ['patch_invalid', 'flag_invalid', 'note_required', 'precondition_failed'],
});

export const updateFlagDescription = endpoint({
  method: 'PUT',
  path: '/splits/ws/:project/:flag/updateDescription',
  summary: 'Set the description; the body is the text, as JSON or as it is',
  access: { needs: 'flag.write', scope: 'project' },
  query: NoteQuery,
  textBody: true,
  reply: Flag,
  versioned: true,
  problems: ['flag_invalid', 'note_required', 'precondition_failed'],
});

export const deleteFlag = endpoint({
  method: 'DELETE',
  path: '/splits/ws/:project/:flag',
  summary: 'Delete a flag with all its definitions',
  access: { needs: 'flag.write', scope: 'project' },
  query: NoteQuery,
  reply: True,
  versioned: true,
  problems: ['note_required', 'precondition_failed'],
});
