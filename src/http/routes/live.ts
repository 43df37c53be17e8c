import type { FastifyInstance } from 'fastify';
import { requireSecondFactor } from '#commands/actors.ts';
import { announceEditing } from '#commands/live.ts';
import * as contract from '#contract/live.ts';
import { Problem } from '#domain/problems.ts';
import type { LiveStreams } from '../live/streams.ts';
import type { Admission } from '../pipeline/admit.ts';
import { findPerson } from '../pipeline/authenticate.ts';
import { implement } from '../pipeline/implement.ts';

export const livePath = '/live';

export const live = () =>
  implement(contract, {
    announceEditing: async ({ context, actor, project, environment, flag, body }) =>
      announceEditing(context, actor, { project, environment, flag }, body.editing),
  });

/** Tells the pages of the session what changes, while they are open. Not in the contract: the response has no end. */
export function streamChanges(scope: FastifyInstance, admission: Admission, streams: LiveStreams): void {
  scope.get(livePath, { exposeHeadRoute: false, config: { isStream: true } }, async (request, reply) => {
    reply.headers(admission.limits.ofAddress(request.ip));
    const person = await findPerson(admission, request);
    if (!person) throw new Problem('signed_out');
    requireSecondFactor(person);
    request.actor = person.actor;
    streams.requireRoom();
    reply.hijack();
    reply.raw.writeHead(200, {
      ...(reply.getHeaders() as Record<string, string>),
      'content-type': 'text/event-stream; charset=utf-8',
      // Otherwise nginx collects what is written.
      'x-accel-buffering': 'no',
    });
    streams.open(person, reply.raw);
  });
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The response lasts as long as the page: its duration says nothing about the server. */
    isStream?: boolean;
  }
}
