import { ApiKeySummary, ApiKeyUpdate, CreatedApiKey, NewApiKey } from '#domain/api-keys.ts';
import { endpoint } from './endpoint.ts';
import { OffsetListing, OffsetPage, True } from './parts.ts';

export const createApiKey = endpoint({
  method: 'POST',
  path: '/apiKeys',
  summary: 'Create an API key',
  description: 'Only this response contains the key.',
  access: { needs: 'apiKey.write', scope: 'project' },
  body: NewApiKey,
  reply: CreatedApiKey,
  showsSecret: true,
  problems: ['api_key_invalid', 'scope_too_wide', 'project_not_found', 'environment_not_found'],
});

const pageSize = { default: 50, max: 200 };

export const listApiKeys = endpoint({
  method: 'GET',
  path: '/apiKeys',
  summary: 'List API keys',
  description: 'Keys within the caller’s scope, in order of creation, without their secrets.',
  access: { needs: 'apiKey.read', scope: 'project' },
  pageSize,
  query: OffsetPage(pageSize),
  reply: OffsetListing(ApiKeySummary),
  showsHousekeeping: true,
  problems: [],
});

export const getApiKey = endpoint({
  method: 'GET',
  path: '/apiKeys/:key',
  summary: 'Get an API key',
  description: 'Without its secret. 404 if the key is outside the caller’s scope.',
  access: { needs: 'apiKey.read', scope: 'project' },
  reply: ApiKeySummary,
  showsHousekeeping: true,
  problems: ['api_key_not_found'],
});

export const updateApiKey = endpoint({
  method: 'PUT',
  path: '/apiKeys/:key',
  summary: 'Rename an API key, or change when it expires',
  description:
    'By id. What the body leaves out stays. Roles and scope of a key never change. An addition to the vendor’s API.',
  access: { needs: 'apiKey.write', scope: 'account' },
  body: ApiKeyUpdate,
  reply: ApiKeySummary,
  problems: ['api_key_not_found', 'api_key_invalid'],
});

export const revokeApiKey = endpoint({
  method: 'DELETE',
  path: '/apiKeys/:key',
  summary: 'Revoke an API key',
  description: 'By id, or by the key itself. Takes effect immediately.',
  access: { needs: 'apiKey.write', scope: 'account' },
  reply: True,
  problems: ['api_key_not_found'],
});
