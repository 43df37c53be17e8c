/**
 * Pages of long lists against pages of short ones, and last pages against first ones, by the processor time of each. None
 * comes from the cache, which costs the same however long the list is.
 */
import type { Asked } from '../load.ts';
import { asked, compare } from '../measuring.ts';
import { lastPage, pages, uncached } from '../requests.ts';
import { costRow, grouped, type Row } from '../rows.ts';
import type { Server } from '../servers.ts';
import type { Bench } from '../workbench.ts';

const part = 'Lists of 50';
const clients = 8;

export interface Sized {
  readonly server: Server;
  readonly flags: number;
}

export async function measureLists(bench: Bench, small: Sized, large: Sized): Promise<Row[]> {
  const first: Record<string, Asked> = {
    'first page of flags': pages.flags,
    'first page of flags, by a word in the name': pages.flagsByName,
    'first page of flags, by tag': pages.flagsByTag,
    'first page of users': pages.users,
    'first page of groups': pages.groups,
  };
  const rows: Row[] = [];
  for (const [work, request] of Object.entries(first)) {
    const samples = await compare(bench, work, {
      large: asked(bench, [large.server], { clients, requests: uncached([request]) }),
      small: asked(bench, [small.server], { clients, requests: uncached([request]) }),
    });
    const compared = { part, work: `${capital(work)} of ${grouped(large.flags)}`, against: `of ${small.flags}` };
    rows.push(costRow({ ...compared, ours: samples('large'), theirs: samples('small') }, 1.3));
  }
  return [...rows, ...(await measureLastPages(bench, large))];
}

async function measureLastPages(bench: Bench, { server, flags }: Sized): Promise<Row[]> {
  bench.tell('Walking to the last pages by markers');
  const ends: [work: string, first: Asked, last: Asked, atMost: number][] = [
    ['Last page of flags by offset', pages.flags, pages.lastOfFlags(flags), 4],
    ['Last page of groups by offset', pages.groups, pages.lastOfGroups(flags), 4],
    ['Last page of users by marker', pages.users, await lastPage(server, pages.users), markerBar],
    ['Last page of the audit log by marker', pages.changes, await lastPage(server, pages.changes), markerBar],
  ];
  const rows: Row[] = [];
  for (const [work, first, last, atMost] of ends) {
    const samples = await compare(bench, work, {
      last: asked(bench, [server], { clients, requests: uncached([last]) }),
      first: asked(bench, [server], { clients, requests: uncached([first]) }),
    });
    const compared = { part, work: `${work}, of ${grouped(flags)}`, against: 'the first page' };
    rows.push(costRow({ ...compared, ours: samples('last'), theirs: samples('first') }, atMost));
  }
  return rows;
}

/** The same, except for what else the machine does meanwhile. */
const markerBar = 1.1;

const capital = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);
