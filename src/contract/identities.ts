import { Type } from 'typebox';
import { IdentityBody, IdentityList, IdentityReply, SavedIdentities } from '#domain/identities.ts';
import { extend } from '#domain/schema.ts';
import { endpoint } from './endpoint.ts';
import { MarkerListing, MarkerPage, True } from './parts.ts';

const path = '/trafficTypes/:trafficType/environments/:environment/identities';
const onePath = `${path}/:identity` as const;
const read = { needs: 'identity.read', scope: 'environment' } as const;
const write = { needs: 'identity.write', scope: 'environment' } as const;
const pageSize = { default: 50, max: 200 };

export const listIdentities = endpoint({
  method: 'GET',
  path,
  summary: 'List identities',
  description: 'By key. An addition to the vendor’s API.',
  access: read,
  pageSize,
  query: extend(
    MarkerPage(pageSize),
    Type.Object({
      searchPrefix: Type.Optional(Type.String({ maxLength: 250, description: 'The key begins with this.' })),
    }),
  ),
  reply: MarkerListing(IdentityReply),
  problems: ['marker_invalid'],
});

export const getIdentity = endpoint({
  method: 'GET',
  path: onePath,
  summary: 'Get an identity',
  description: 'An addition to the vendor’s API.',
  access: read,
  reply: IdentityReply,
  problems: ['identity_not_found'],
});

export const saveIdentities = endpoint({
  method: 'POST',
  path,
  summary: 'Create or overwrite several identities',
  description: 'Those that are invalid are in `failed`; the others are saved in one change.',
  access: write,
  looseBody: IdentityList,
  reply: SavedIdentities,
  problems: ['identity_invalid'],
});

export const replaceIdentity = endpoint({
  method: 'PUT',
  path: onePath,
  summary: 'Create or overwrite an identity',
  access: write,
  looseBody: IdentityBody,
  reply: IdentityReply,
  problems: ['identity_invalid'],
});

const patching = {
  description: 'Values that the body leaves out stay; null removes one. An identity that does not exist is created.',
  access: write,
  looseBody: IdentityBody,
  reply: IdentityReply,
  problems: ['identity_invalid'],
} as const;

export const patchIdentity = endpoint({ method: 'PATCH', path: onePath, summary: 'Change an identity', ...patching });

export const patchIdentityNamedInBody = endpoint({
  method: 'PATCH',
  path,
  summary: 'Change the identity that the body names',
  ...patching,
});

export const patchIdentityByPost = endpoint({
  method: 'POST',
  path: `${onePath}/patch`,
  summary: 'Change an identity (POST)',
  ...patching,
});

export const deleteIdentity = endpoint({
  method: 'DELETE',
  path: onePath,
  summary: 'Delete an identity',
  access: write,
  reply: True,
  problems: ['identity_not_found'],
});
