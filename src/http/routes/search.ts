import { setImmediate as nextTurn } from 'node:timers/promises';
import * as contract from '#contract/search.ts';
import { type Actor, allows } from '#domain/access.ts';
import { type Found, maxFound, parseWords, partsOf, rank, type SearchKind } from '#domain/search.ts';
import { countProjects } from '#store/projects.ts';
import { listFound } from '#store/search.ts';
import type { Reader } from '#store/sql.ts';
import { implement } from '../pipeline/implement.ts';

export const search = (db: Reader) =>
  implement(contract, {
    search: async ({ actor, query: { text } }) => {
      const words = parseWords(text);
      const wholeWords = words.map((word) => [word]);
      const exact = await findAll(db, actor, { words, parts: wholeWords, limit: maxFound });
      if (exact.length > 0) return { objects: exact };
      return { objects: await findAll(db, actor, { words, parts: words.map(partsOf), limit: maxCandidates }) };
    },
  });

/** With typos, of each kind in each statement. */
const maxCandidates = 500;
/** SQLite blocks the process during a statement. */
const projectsAtOnce = 4;
const maxProjects = 1_000;

interface Asked {
  readonly words: readonly string[];
  readonly parts: readonly (readonly string[])[];
  readonly limit: number;
}

async function findAll(db: Reader, actor: Actor, { words, parts, limit }: Asked): Promise<Found[]> {
  if (words.length === 0) return [];
  const { scope } = actor;
  const all = { scope, name: undefined, nameOp: 'IS', nameOrId: undefined } as const;
  const total = Math.min(await countProjects(db, all), maxProjects);
  let best: Found[] = [];
  for (let offset = 0; offset < total; offset += projectsAtOnce) {
    const projects = { offset, limit: projectsAtOnce };
    best = rank(words, [
      ...best,
      ...(await listFound(db, { scope, kinds: kindsFor(actor), words: parts, limit, projects })),
    ]);
    await nextTurn();
  }
  return best;
}

function kindsFor(actor: Actor): Set<SearchKind> {
  const kinds = new Set<SearchKind>(['environment', 'project']);
  if (allows(actor, { needs: 'flag.read', scope: 'project' })) kinds.add('flag');
  if (allows(actor, { needs: 'segment.read', scope: 'project' })) kinds.add('segment');
  return kinds;
}
