/** The bare servers of reference/, started as processes of their own. */

import { startServant } from './processes.ts';
import type { BareAnswer } from './reference/bare-http.ts';
import type { RawAnswer } from './requests.ts';
import type { Server } from './servers.ts';
import type { Bench } from './workbench.ts';

/** What a server adds by itself. */
const added = new Set(['date', 'connection', 'keep-alive']);

/** Answers as Burgee did: the same headers and the same bytes. */
export async function startBare(
  bench: Bench,
  kind: 'bare-http' | 'bare-parse' | 'bare-fastify' | 'bare-evaluation',
  { headers, body }: RawAnswer,
): Promise<Server> {
  const servant = bench.started(startServant<BareAnswer, number>(`./reference/${kind}.ts`, 'serving'));
  const own = Object.fromEntries(Object.entries(headers).filter(([name]) => !added.has(name)));
  const port = await servant.ask({ headers: own, base64: body.toString('base64') });
  return { ...servant, port, headers: { authorization: 'Bearer a-key-of-no-use' } };
}
