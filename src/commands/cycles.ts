/** Cycles and long chains through flags and rule-based segments, which can name each other. */
import type { ObjectReference } from '#domain/definitions/references.ts';
import { type Edge, listChainedReferrers, listReferencesOf, type Referrer } from '#store/references.ts';
import type { Tx } from '#store/sql.ts';

type Named = Pick<Referrer, 'kind' | 'name'>;

/** Bounds the cost of a change; each statement takes a few milliseconds. */
const maxEdges = 5_000;
/** How many objects a statement asks about. */
const maxNames = 500;
/**
 * References in a chain. Evaluation is recursive everywhere: ours overflows the stack after about 700, the Node SDK after
 * about 900, and Python allows 1,000 nested calls, several for each reference.
 */
const maxChain = 50;

export interface Cycle {
  /** The new reference that closes it, or that leads to too many others. */
  readonly through: ObjectReference;
  /** What is wrong with that. */
  readonly complaint: string;
}

/**
 * A cycle that new references of an object would close, or a chain that they would make too long. Walks from them along
 * what they name, so an object that many others name costs little. The environment must be locked.
 */
export async function findCycle(
  tx: Tx,
  environmentId: string,
  start: Named,
  added: readonly ObjectReference[],
): Promise<Cycle | undefined> {
  const first = added.filter(isNode);
  const own = first.find((node) => textOf(node) === textOf(start));
  if (own) return cycleOf(start, [own]);
  const below = await walk(first, (batch, limit) => listReferencesOf(tx, environmentId, batch, limit), start);
  if (below.path) return cycleOf(start, below.path);
  if (below.isCut) return tooMany(below.isCut);
  const above = await walk([start], (batch, limit) => listChainedReferrers(tx, environmentId, batch, limit));
  if (above.isCut) return first[0] && tooMany(first[0]);
  const lengthAbove = longestFrom(start, above.neighbours);
  const known = new Map<string, number>();
  const through = first.find((node) => lengthAbove + 1 + longestFrom(node, below.neighbours, known) > maxChain);
  return through && tooLong(through);
}

type Neighbours = Map<string, Named[]>;

interface Walked {
  readonly neighbours: Neighbours;
  /** From one of the first objects to the wanted one, if that was reached. */
  readonly path?: readonly Named[];
  /** The one of the first objects that leads to too many references. */
  readonly isCut?: Named | undefined;
}

type ListNeighbours = (batch: { kind: Referrer['kind']; names: string[] }, limit: number) => Promise<Edge[]>;

/** Visits what can be reached, level by level, but no further than a chain may lead. */
async function walk(first: readonly Named[], list: ListNeighbours, wanted?: Named): Promise<Walked> {
  /** The object that led to each one that was reached. */
  const reachedFrom = new Map<string, Named | undefined>(first.map((node) => [textOf(node), undefined]));
  const neighbours: Neighbours = new Map();
  let next = first;
  let edges = 0;
  for (let level = 0; next.length > 0 && level <= maxChain; level += 1) {
    const reached: Named[] = [];
    for (const { kind, names } of batchesOf(next)) {
      const found = await list({ kind, names }, maxEdges - edges + 1);
      edges += found.length;
      if (edges > maxEdges) return { neighbours, isCut: pathTo({ kind, name: names[0] ?? '' }, reachedFrom)[0] };
      for (const { from, ...node } of found) {
        const origin = { kind, name: from };
        const others = neighbours.get(textOf(origin));
        if (others) others.push(node);
        else neighbours.set(textOf(origin), [node]);
        if (reachedFrom.has(textOf(node))) continue;
        reachedFrom.set(textOf(node), origin);
        if (wanted && textOf(node) === textOf(wanted)) return { neighbours, path: pathTo(node, reachedFrom) };
        reached.push(node);
      }
    }
    next = reached;
  }
  return { neighbours };
}

/** How many references the longest chain from the object has. Old data may have a cycle, which counts once. */
function longestFrom(node: Named, neighbours: Neighbours, known = new Map<string, number>()): number {
  const text = textOf(node);
  const before = known.get(text);
  if (before !== undefined) return before;
  known.set(text, 0);
  let longest = 0;
  for (const one of neighbours.get(text) ?? []) longest = Math.max(longest, 1 + longestFrom(one, neighbours, known));
  known.set(text, longest);
  return longest;
}

const isNode = (reference: ObjectReference): reference is Named => reference.kind !== 'flag_set';
const textOf = ({ kind, name }: Named): string => `${kind} ${name}`;

function batchesOf(nodes: readonly Named[]): { kind: Referrer['kind']; names: string[] }[] {
  return (['flag', 'segment'] as const).flatMap((kind) => {
    const names = nodes.filter((node) => node.kind === kind).map(({ name }) => name);
    const count = Math.ceil(names.length / maxNames);
    return Array.from({ length: count }, (_, at) => ({ kind, names: names.slice(at * maxNames, (at + 1) * maxNames) }));
  });
}

/** From the new reference to the object. */
function pathTo(end: Named, reachedFrom: ReadonlyMap<string, Named | undefined>): Named[] {
  const path: Named[] = [];
  for (let node: Named | undefined = end; node; node = reachedFrom.get(textOf(node))) path.unshift(node);
  return path;
}

/** More names would not be read. */
const maxShown = 20;

function cycleOf(start: Named, path: readonly Named[]): Cycle {
  const nodes = [start, ...path];
  const isMixed = nodes.some(({ kind }) => kind !== start.kind);
  const words = nodes.map((node) => (isMixed ? textOf(node) : node.name));
  const shown = words.length > maxShown ? [...words.slice(0, maxShown - 2), '…', ...words.slice(-1)] : words;
  return { through: path[0] ?? start, complaint: `would close a cycle: ${shown.join(' → ')}` };
}

const tooLong = (through: Named): Cycle => ({
  through,
  complaint: `would make a chain of more than ${maxChain} references between flags and segments`,
});

const tooMany = (through: Named): Cycle => ({
  through,
  complaint: `leads to more than ${maxEdges} references between flags and segments, too many to rule out a cycle`,
});
