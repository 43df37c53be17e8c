import { Type } from 'typebox';
import { AttributeBody, AttributeList, AttributePatch, AttributeReply } from '#domain/attributes.ts';
import { Nullable, OneOf } from '#domain/schema.ts';
import { endpoint } from './endpoint.ts';
import { True } from './parts.ts';

const write = { needs: 'trafficType.write', scope: 'project' } as const;
const pageSize = { default: 50, max: 200 };

export const listAttributes = endpoint({
  method: 'GET',
  path: '/schema/ws/:project/trafficTypes/:trafficType',
  summary: 'List attributes',
  description:
    'By id. An array of all of them, unless `paginate=true`: then a page, and the other parameters apply. To page ' +
    'forward, send `nextMarker` as `afterMarker`; to page back, `previousMarker` as `beforeMarker`. The other two ' +
    'combinations return the same page again.',
  access: { needs: 'project.read', scope: 'environment' },
  pageSize,
  query: Type.Object({
    paginate: Type.Optional(OneOf(['true', 'True', 'false', 'False'], { description: 'default false' })),
    searchPrefix: Type.Optional(
      Type.String({ maxLength: 200, description: 'The id or display name begins with this, ignoring case.' }),
    ),
    markerLimit: Type.Optional(
      Type.Integer({ minimum: 1, description: `default ${pageSize.default}; more than ${pageSize.max} is lowered` }),
    ),
    afterMarker: Type.Optional(Type.String({ maxLength: 1_000, description: 'a marker: the attributes after it' })),
    beforeMarker: Type.Optional(Type.String({ maxLength: 1_000, description: 'a marker: the attributes before it' })),
  }),
  reply: Type.Union([
    Type.Array(AttributeReply),
    Type.Object({
      objects: Type.Array(AttributeReply),
      nextMarker: Nullable(Type.String()),
      previousMarker: Nullable(Type.String()),
      limit: Type.Integer(),
      count: Type.Integer(),
    }),
  ]),
  problems: ['marker_invalid'],
});

const saving = {
  access: write,
  looseBody: AttributeBody,
  reply: AttributeReply,
  problems: ['attribute_invalid', 'too_many_attributes'],
} as const;

export const saveAttribute = endpoint({
  method: 'POST',
  path: '/schema/ws/:project/trafficTypes/:trafficType',
  summary: 'Create or overwrite an attribute',
  description: 'What the body leaves out gets its default.',
  ...saving,
});

export const replaceAttribute = endpoint({
  method: 'PUT',
  path: '/schema/ws/:project/trafficTypes/:trafficType',
  summary: 'Create or overwrite an attribute',
  description: 'The same as POST.',
  ...saving,
});

export const saveAttributes = endpoint({
  method: 'POST',
  path: '/schema/ws/:project/trafficTypes/:trafficType/attribute:bulk',
  summary: 'Create or overwrite several attributes',
  description:
    'A JSON array, or a form with a CSV `file`: id, display name, description, data type, suggested values. All or ' +
    'none: if one is invalid, nothing is saved, and the error lists what is wrong with which.',
  access: write,
  looseBody: AttributeList,
  mayBeForm: true,
  reply: Type.Array(AttributeReply),
  problems: ['attribute_invalid', 'too_many_attributes'],
});

export const patchAttribute = endpoint({
  method: 'PATCH',
  path: '/schema/ws/:project/trafficTypes/:trafficType/:attribute',
  summary: 'Change an attribute',
  description: 'The body is an object, not a JSON Patch. Members that it leaves out stay; null resets one.',
  access: write,
  looseBody: AttributePatch,
  reply: AttributeReply,
  problems: ['attribute_invalid', 'attribute_not_found'],
});

export const deleteAttribute = endpoint({
  method: 'DELETE',
  path: '/schema/ws/:project/trafficTypes/:trafficType/:attribute',
  summary: 'Delete an attribute',
  description: 'Rules that use it keep working.',
  access: write,
  reply: True,
  problems: ['attribute_not_found'],
});
