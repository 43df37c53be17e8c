/**
 * Rate limits per key and per address, if the operator set them. Counted in memory by each node. Plain functions, so
 * that any code that answers a request can call them.
 */
import type { FastifyInstance } from 'fastify';
import { Problem } from '#domain/problems.ts';
import { networkOf } from './networks.ts';
import { createCounter } from './window.ts';

/** Requests per minute; undefined: unlimited. */
export interface RateLimits {
  readonly perKey: number | undefined;
  readonly perAddress: number | undefined;
}

/** Headers that report the remaining quota. Empty without a limit. */
export type Quota = Readonly<Record<string, string>>;

/** Each counts one request, and refuses it with `too_many_requests` if it exceeds the limit. */
export interface Limits {
  ofAddress(address: string): Quota;
  ofKey(keyId: string): Quota;
}

const windowSeconds = 60;

/** The vendor limits by organization and by address; its clients read the header for the first. */
export function createLimits({ perKey, perAddress }: RateLimits): Limits {
  const addresses = limitBy('ip', perAddress);
  return { ofAddress: (address) => addresses(networkOf(address)), ofKey: limitBy('org', perKey) };
}

/** Counts every request of the scope against the limit of its address. */
export function limitAddresses(app: FastifyInstance, { ofAddress }: Limits): void {
  app.addHook('onRequest', async (request, reply) => {
    reply.headers(ofAddress(request.ip));
  });
}

const noLimit: Quota = {};

function limitBy(whose: 'org' | 'ip', limit: number | undefined): (name: string) => Quota {
  if (limit === undefined) return () => noLimit;
  const counter = createCounter(windowSeconds);
  return (name) => {
    const { count, seconds } = counter.add(name);
    if (count > limit) throw new Problem('too_many_requests', { seconds });
    return {
      [`x-ratelimit-remaining-${whose}`]: String(limit - count),
      [`x-ratelimit-reset-seconds-${whose}`]: String(seconds),
    };
  };
}
