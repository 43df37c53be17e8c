/** Endpoints that require a session: keys cannot use them, and nobody can end another user's session. */
import { v7 as newId } from 'uuid';
import { accountContract } from '#contract/all.ts';
import type { Endpoint } from '#contract/endpoint.ts';
import { accountPrefix } from '#contract/parts.ts';
import { fingerprintOf } from './fingerprint.ts';
import type { Outcome, Server } from './isolation-matrix.ts';
import type { World } from './isolation-world.ts';
import { ways } from './written-access.ts';

const endpoints = Object.entries<Endpoint>(accountContract.accounts).filter(([, { method, path }]) =>
  ways.includes(`\n${method} ${path} signed-in\n`),
);

/** `only` is the name of the one endpoint to ask. */
export async function runSessions(server: Server, world: World, only?: string): Promise<Outcome> {
  const outcome: Outcome = { cases: 0, failures: [] };
  const before = await fingerprintOf(server.store);
  for (const [, endpoint] of endpoints.filter(([name]) => only === undefined || name === only)) {
    for (const { name, request } of world.principals.filter(({ isPerson }) => !isPerson)) {
      const path = accountPrefix + endpoint.path.replaceAll(/:\w+/g, newId());
      const { status, body } = await server.call(endpoint.method, path, { ...request, body: {} });
      outcome.cases += 1;
      if (status !== 401 || body?.message !== 'Sign in first') {
        outcome.failures.push(`${endpoint.method} ${endpoint.path} as ${name}: ${status}`);
      }
    }
  }
  if (only === undefined) await endForeign(server, world, outcome);
  if ((await fingerprintOf(server.store)) !== before) outcome.failures.push('something was changed');
  return outcome;
}

async function endForeign(server: Server, world: World, outcome: Outcome): Promise<void> {
  const people = world.principals.filter(({ isPerson }) => isPerson);
  const sessionOf = new Map<string, string>();
  for (const { name, request } of people) {
    const { body } = await server.get(`${accountPrefix}/sessions`, request);
    if (body.length !== 1) outcome.failures.push(`${name} sees ${body.length} sessions`);
    sessionOf.set(name, body[0].id);
  }
  for (const { name, request } of people) {
    const foreign = [...sessionOf].filter(([other]) => other !== name).map(([, id]) => id);
    for (const id of [...foreign, newId()]) {
      const { status, body } = await server.delete(`${accountPrefix}/sessions/${id}`, request);
      outcome.cases += 1;
      if (status !== 404 || body.message !== `Could not find session ${id}`) {
        outcome.failures.push(`${name} ends a session of somebody else: ${status}`);
      }
    }
  }
}
