/** Names of API keys, and labels and hints for their types and roles. */
import type { Role } from '#domain/access.ts';
import type { ApiKeyType } from '#domain/api-keys.ts';
import { sentence } from '../../kit/explain.ts';
import type { FieldRule } from '../../kit/form.ts';

export const nameRule: FieldRule = {
  check: (value) => (value.trim() === '' ? 'Enter a name.' : undefined),
  claim: (complaint) => (complaint.startsWith('name ') ? sentence(complaint) : undefined),
};

interface Words {
  readonly label: string;
  readonly hint: string;
}

export const types: Readonly<Record<ApiKeyType, Words>> = {
  admin: { label: 'Admin', hint: 'For scripts, Terraform and anything else that calls the API.' },
  server_side: { label: 'Server-side', hint: 'For SDKs on your servers. Keep it secret.' },
  client_side: { label: 'Client-side', hint: 'For browsers and apps. Anyone with the app can read it.' },
};

export const roleWords: Readonly<Record<Role, Words>> = {
  API_ALL_GRANTED: { label: 'Everything', hint: 'All roles below. Only for tools that need it.' },
  API_FEATURE_FLAG_EDITOR: { label: 'Flag editor', hint: 'Reads and changes flags and their definitions.' },
  API_FEATURE_FLAG_VIEWER: { label: 'Flag viewer', hint: 'Reads flags and their definitions.' },
  API_WORKSPACE_ADMIN: {
    label: 'Project admin',
    hint: 'Changes projects, environments, traffic types and access. Reads activity.',
  },
  API_ADMIN: {
    label: 'Account admin',
    hint: 'Everything a project admin can do. Creates projects and groups, and invites people.',
  },
  API_APIKEY: {
    label: 'API keys',
    hint: 'Creates and revokes API keys with any role, so it can do everything in its scope.',
  },
  API_SEGMENT_EDITOR: { label: 'Segment editor', hint: 'Reads and changes segments and their keys.' },
  API_SEGMENT_VIEWER: { label: 'Segment viewer', hint: 'Reads segments and their keys.' },
};

/** Without `API_ALL_GRANTED`, which is a choice of its own. */
export const offeredRoles = [
  'API_FEATURE_FLAG_EDITOR',
  'API_FEATURE_FLAG_VIEWER',
  'API_SEGMENT_EDITOR',
  'API_SEGMENT_VIEWER',
  'API_WORKSPACE_ADMIN',
  'API_ADMIN',
  'API_APIKEY',
] as const satisfies readonly Role[];

export const roleWord = (role: string): string => roleWords[role as Role]?.label ?? role;
