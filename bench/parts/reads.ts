/** One thing at a time, asked for over 32 connections: against bare servers with the same answer, and against Unleash. */
import { startBare } from '../bare-servers.ts';
import type { Asked } from '../load.ts';
import { asked, compare } from '../measuring.ts';
import { getDefinitions, getFlags, getUsers, rawAnswerOf, uncached, userIds } from '../requests.ts';
import { costRow, type Row, throughputRow } from '../rows.ts';
import type { Server } from '../servers.ts';
import { unleashRequests } from '../unleash.ts';
import type { Bench } from '../workbench.ts';

const part = 'Reading one thing';
const clients = 32;

export interface Peers {
  readonly burgee: Server;
  readonly unleash: Server | undefined;
  readonly flags: number;
}

export async function measureReads(bench: Bench, { burgee, unleash, flags }: Peers): Promise<Row[]> {
  const works: [work: string, ours: Asked[], theirs: Asked[]][] = [
    ['GET definition', getDefinitions(flags), unleashRequests.definitions(flags)],
    ['GET flag', getFlags(flags), unleashRequests.flags(flags)],
    ['GET user', getUsers(await userIds(burgee)), unleashRequests.users],
  ];
  const rows: Row[] = [];
  for (const [work, ours, theirs] of works) {
    const [first] = ours;
    if (!first) throw new Error(`nothing to ask for: ${work}`);
    const answer = await rawAnswerOf(burgee, first);
    const bareHttp = await startBare(bench, 'bare-http', answer);
    const samples = await compare(bench, `${work}, ${clients} connections`, {
      Burgee: asked(bench, [burgee], { clients, requests: ours }),
      'Burgee, uncached': asked(bench, [burgee], { clients, requests: uncached(ours) }),
      'bare node:http': asked(bench, [bareHttp], { clients, requests: ours }),
      ...(unleash ? { Unleash: asked(bench, [unleash], { clients, requests: theirs }) } : {}),
    });
    await bareHttp.stop();
    const compared = (against: string) => ({
      part,
      work,
      against,
      ours: samples('Burgee'),
      theirs: samples(against),
    });
    rows.push(
      throughputRow(compared('bare node:http'), 0.6),
      throughputRow(
        { ...compared('bare node:http'), work: `${work}, uncached`, ours: samples('Burgee, uncached') },
        0.6,
        'the bar is for cached responses',
      ),
    );
    if (unleash) rows.push(throughputRow(compared('Unleash'), 25));
  }
  return [...rows, await againstFastify(bench, burgee, getDefinitions(flags))];
}

async function againstFastify(bench: Bench, burgee: Server, requests: Asked[]): Promise<Row> {
  const [first] = requests;
  if (!first) throw new Error('nothing to ask for');
  const bareFastify = await startBare(bench, 'bare-fastify', await rawAnswerOf(burgee, first));
  const samples = await compare(bench, 'Processor time of GET definition', {
    Burgee: asked(bench, [burgee], { clients, requests }),
    'bare Fastify': asked(bench, [bareFastify], { clients, requests }),
  });
  await bareFastify.stop();
  return costRow(
    {
      part,
      work: 'GET definition, processor time',
      against: 'bare Fastify, same schema',
      ours: samples('Burgee'),
      theirs: samples('bare Fastify'),
    },
    1.5,
  );
}
