/** Requests without a route: an unknown path, or a known path with another method. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { prefix } from '#contract/parts.ts';
import { Problem } from '#domain/problems.ts';
import { pathHints } from './path-hints.ts';
import { withoutSecrets } from './problems.ts';

interface KnownPath {
  readonly method: string;
  /** With its prefix. */
  readonly path: string;
}

/** 405 with Allow if the path is known, else 404. */
export function refuseUnknown(known: readonly KnownPath[]) {
  const patterns = known.map(({ method, path }) => ({
    methods: method === 'GET' ? ['GET', 'HEAD'] : [method],
    pattern: new RegExp(`^${path.replaceAll(/\/:\w+/g, '/[^/]+')}/?$`),
  }));
  const ofTheApi = known.filter(({ path }) => path.startsWith(prefix)).map(({ path }) => path.slice(prefix.length));
  const hintFor = pathHints(ofTheApi);
  return async (request: FastifyRequest, reply: FastifyReply): Promise<never> => {
    const path = request.url.replace(/\?.*$/s, '');
    const tidy = path.replaceAll(/\/{2,}/g, '/');
    const allowed = patterns.filter(({ pattern }) => pattern.test(tidy)).flatMap(({ methods }) => methods);
    if (allowed.length === 0) throw unknownPath(path, hintFor(brief(tidy).replace(/\/$/, '')));
    if (allowed.includes(request.method)) throw unknownPath(path, 'A part of the path is too long to name anything');
    const methods = [...new Set(allowed)].sort();
    reply.header('allow', methods.join(', '));
    throw new Problem('method_not_allowed', { method: request.method, allowed: methods });
  };
}

const unknownPath = (path: string, hint: string) => new Problem('path_unknown', { path: brief(path), hint });

/** Shorten only after secrets are removed: half a secret would not be recognised. */
const brief = (path: string): string => withoutSecrets(path).slice(0, 200);
