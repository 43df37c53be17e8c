import { Type } from 'typebox';
import { FlagSetReply, NewFlagSet } from '#domain/flag-sets.ts';
import { Dependent } from '#domain/flags.ts';
import { extend } from '#domain/schema.ts';
import { endpoint } from './endpoint.ts';
import { MarkerListing, MarkerPage, OffsetListing, OffsetPage, ProjectNameOrId, prefixV3, True } from './parts.ts';

const base = prefixV3;
const read = { needs: 'flag.read', scope: 'project' } as const;
const write = { needs: 'flag.write', scope: 'project' } as const;
const pageSize = { default: 50, max: 200 };

export const listFlagSets = endpoint({
  method: 'GET',
  base,
  path: '/flag-sets',
  summary: 'List flag sets',
  description: 'In order of creation. `objects` is the same list as `data`; some clients read one, some the other.',
  access: read,
  pageSize,
  query: extend(MarkerPage(pageSize), Type.Object({ workspace_id: ProjectNameOrId })),
  reply: extend(MarkerListing(FlagSetReply), Type.Object({ objects: Type.Array(FlagSetReply) })),
  problems: ['project_not_found', 'marker_invalid'],
});

export const getFlagSet = endpoint({
  method: 'GET',
  base,
  path: '/flag-sets/:flagSet',
  summary: 'Get a flag set',
  access: read,
  reply: FlagSetReply,
  problems: [],
});

const flagsPageSize = { default: 20, max: 200 };

export const listFlagsInSet = endpoint({
  method: 'GET',
  base,
  path: '/flag-sets/:flagSet/flags',
  summary: 'List the flags in a flag set',
  description:
    'Once for each environment where the definition names the set: by creation of the environment, then by name. An ' +
    'addition to the vendor’s API.',
  access: { needs: 'definition.read', scope: 'project' },
  pageSize: flagsPageSize,
  query: OffsetPage(flagsPageSize),
  reply: OffsetListing(Dependent),
  problems: [],
});

export const createFlagSet = endpoint({
  method: 'POST',
  base,
  path: '/flag-sets',
  summary: 'Create a flag set',
  access: write,
  body: NewFlagSet,
  reply: FlagSetReply,
  problems: ['project_not_found', 'right_missing', 'flag_set_name_taken'],
});

export const deleteFlagSet = endpoint({
  method: 'DELETE',
  base,
  path: '/flag-sets/:flagSet',
  summary: 'Delete a flag set',
  description:
    'Definitions that name it lose it in the same change, so it takes the right to edit definitions in their ' +
    'environments.',
  access: write,
  reply: True,
  problems: ['flag_set_in_use'],
});
