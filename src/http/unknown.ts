/** What no route answers: a path that nobody knows, or a known path with a method that it does not have. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Problem } from '#domain/problems.ts';
import { withoutSecrets } from './problems.ts';

interface KnownPath {
  readonly method: string;
  /** With its prefix. */
  readonly path: string;
}

/** For every request that no route answers: 405 with Allow where the path is known, else 404. */
export function refuseUnknown(known: readonly KnownPath[]) {
  const patterns = known.map(({ method, path }) => ({
    methods: method === 'GET' ? ['GET', 'HEAD'] : [method],
    pattern: new RegExp(`^${path.replaceAll(/:\w+/g, '[^/]+')}/?$`),
  }));
  return async (request: FastifyRequest, reply: FastifyReply): Promise<never> => {
    const path = request.url.replace(/\?.*$/s, '');
    const tidy = path.replaceAll(/\/{2,}/g, '/');
    const allowed = patterns.filter(({ pattern }) => pattern.test(tidy)).flatMap(({ methods }) => methods);
    // A known path with its own method comes here when one of its words is too long to name anything.
    if (allowed.length === 0 || allowed.includes(request.method))
      // Cut off behind that: half a secret would not be recognised.
      throw new Problem('path_unknown', { path: withoutSecrets(path).slice(0, 200) });
    reply.header('allow', [...new Set(allowed)].sort().join(', '));
    throw new Problem('method_not_allowed', { method: request.method });
  };
}
