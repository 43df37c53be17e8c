/** Probes of the server itself, without the Admin API prefix. */
import { Type } from 'typebox';
import { endpoint } from './endpoint.ts';

export const getHealth = endpoint({
  method: 'GET',
  path: '/health',
  summary: 'Liveness probe',
  access: 'probe',
  reply: Type.Object({ status: Type.Literal('ok'), version: Type.String({ description: 'of Burgee' }) }),
  problems: [],
});

export const getReadiness = endpoint({
  method: 'GET',
  path: '/ready',
  summary: 'Readiness probe',
  access: 'probe',
  reply: Type.Object({ status: Type.Literal('ready') }),
  problems: ['unavailable'],
});
