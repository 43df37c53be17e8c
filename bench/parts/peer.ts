/** What people and scripts do with flags, against the nearest that Unleash has, over 32 connections. */
import type { Asked } from '../load.ts';
import { asked, compare } from '../measuring.ts';
import { createFlag, pages, patchDefinitions, uncached } from '../requests.ts';
import { type Row, throughputRow } from '../rows.ts';
import type { Server } from '../servers.ts';
import { asSdk, unleashRequests } from '../unleash.ts';
import type { Bench } from '../workbench.ts';

const clients = 32;

interface Work {
  readonly work: string;
  readonly ours: readonly Asked[];
  readonly theirs: readonly Asked[];
  readonly order: 'all' | 'own';
  readonly atLeast: number;
  readonly notJudged?: string;
  /** Unleash as somebody else asks it. */
  readonly peer?: Server;
}

export async function measureAgainstPeer(
  bench: Bench,
  { burgee, unleash, flags }: { burgee: Server; unleash: Server; flags: number },
): Promise<Row[]> {
  // Those that make the catalogue larger come last.
  const works: Work[] = [
    { work: 'A page of 50 flags', ours: [pages.flags], theirs: unleashRequests.page, order: 'all', atLeast: 40 },
    {
      work: 'A page of 50 flags, uncached',
      ours: uncached([pages.flags]),
      theirs: unleashRequests.page,
      order: 'all',
      atLeast: 40,
      notJudged: 'the bar is for cached responses',
    },
    {
      work: 'Poll 50 definitions of an environment',
      ours: [pages.definitions],
      theirs: unleashRequests.poll,
      order: 'all',
      atLeast: 1,
      notJudged: 'no bar is set',
      peer: asSdk(unleash),
    },
    {
      work: 'Change a definition',
      ours: patchDefinitions(flags, clients),
      theirs: unleashRequests.changes(clients),
      order: 'own',
      atLeast: 12,
    },
    { work: 'Create a flag', ours: [createFlag], theirs: unleashRequests.create, order: 'all', atLeast: 12 },
  ];
  const rows: Row[] = [];
  for (const { work, ours, theirs, order, atLeast, notJudged, peer = unleash } of works) {
    const samples = await compare(bench, `${work}, ${clients} connections`, {
      Burgee: asked(bench, [burgee], { clients, requests: ours, order }),
      Unleash: asked(bench, [peer], { clients, requests: theirs, order }),
    });
    const compared = { part: 'Against the peer', work, against: 'Unleash' };
    rows.push(throughputRow({ ...compared, ours: samples('Burgee'), theirs: samples('Unleash') }, atLeast, notJudged));
  }
  return rows;
}
