/** Cycles through flags and rule-based segments, which can name each other. */
import type { ObjectReference } from '#domain/definitions/references.ts';
import { listReferencesOf, type Referrer } from '#store/references.ts';
import type { Tx } from '#store/sql.ts';

type Named = Pick<Referrer, 'kind' | 'name'>;

/** Bounds the cost of a change; each statement takes a few milliseconds. */
const maxEdges = 5_000;
/** How many objects a statement asks about. */
const maxNames = 500;

export interface Cycle {
  /** The new reference that closes it, or that leads to too many others. */
  readonly through: ObjectReference;
  /** What is wrong with that. */
  readonly complaint: string;
}

/**
 * A cycle that new references of an object would close. Walks from them along what they name, so an object that many
 * others name costs nothing. The environment must be locked.
 */
export async function findCycle(
  tx: Tx,
  environmentId: string,
  start: Named,
  added: readonly ObjectReference[],
): Promise<Cycle | undefined> {
  /** The object that led to each one that was reached. */
  const reachedFrom = new Map<string, Named | undefined>();
  let next: Named[] = added.filter(isNode);
  for (const node of next) reachedFrom.set(textOf(node), undefined);
  const own = next.find((node) => textOf(node) === textOf(start));
  if (own) return cycleOf(start, [own]);
  let edges = 0;
  while (next.length > 0) {
    const reached: Named[] = [];
    for (const { kind, names } of batchesOf(next)) {
      const found = await listReferencesOf(tx, environmentId, { kind, names }, maxEdges - edges + 1);
      edges += found.length;
      for (const { from, ...node } of found) {
        if (reachedFrom.has(textOf(node))) continue;
        reachedFrom.set(textOf(node), { kind, name: from });
        if (textOf(node) === textOf(start)) return cycleOf(start, pathTo(node, reachedFrom));
        reached.push(node);
      }
      if (edges > maxEdges) return tooMany(pathTo({ kind, name: names[0] ?? '' }, reachedFrom));
    }
    next = reached;
  }
  return undefined;
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

const tooMany = ([through]: readonly Named[]): Cycle => ({
  through: through as Named,
  complaint: `leads to more than ${maxEdges} references between flags and segments, too many to rule out a cycle`,
});
