import { Type } from 'typebox';
import { View, ViewContent } from '#domain/views.ts';
import { endpoint } from './endpoint.ts';
import { True } from './parts.ts';

const read = { needs: 'flag.read', scope: 'project' } as const;
const write = { needs: 'flag.write', scope: 'project' } as const;

export const listViews = endpoint({
  method: 'GET',
  path: '/views/ws/:project',
  summary: 'List saved views',
  description: 'The shared ones, then the caller’s own, each by name. All of them: there are at most 50 of each.',
  access: read,
  // Saving an own view invalidates no cached response.
  showsHousekeeping: true,
  reply: Type.Array(View),
  problems: [],
});

export const saveSharedView = endpoint({
  method: 'PUT',
  path: '/views/ws/:project/shared/:view',
  summary: 'Save a shared view',
  description: 'Creates it, or replaces what it keeps. Everyone who sees the project sees it.',
  access: write,
  body: ViewContent,
  reply: View,
  problems: ['too_many_views'],
});

export const deleteSharedView = endpoint({
  method: 'DELETE',
  path: '/views/ws/:project/shared/:view',
  summary: 'Delete a shared view',
  access: write,
  reply: True,
  problems: ['view_not_found'],
});

export const saveOwnView = endpoint({
  method: 'PUT',
  path: '/views/ws/:project/own/:view',
  summary: 'Save an own view',
  description: 'Creates it, or replaces what it keeps. Only the caller sees it, and the audit log has no entry.',
  access: read,
  body: ViewContent,
  reply: View,
  problems: ['too_many_views'],
});

export const deleteOwnView = endpoint({
  method: 'DELETE',
  path: '/views/ws/:project/own/:view',
  summary: 'Delete an own view',
  description: 'Returns `true` even if there is none.',
  access: read,
  reply: True,
  problems: [],
});
