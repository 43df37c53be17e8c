/**
 * The nodes that are on a cycle, or between two of them: what is left when those are removed, again and again, that
 * nothing leads to or that lead to nothing. No recursion, because chains may be long.
 */
export function onCycles(edges: ReadonlyMap<string, readonly string[]>): Set<string> {
  const back = new Map<string, string[]>();
  for (const [from, all] of edges) {
    for (const to of all) {
      const others = back.get(to);
      if (others) others.push(from);
      else back.set(to, [from]);
    }
  }
  const withoutEnds = remaining(edges, back);
  return new Set([...remaining(back, edges)].filter((node) => withoutEnds.has(node)));
}

/** Without nodes that lead only to removed ones. */
function remaining(forward: Edges, back: Edges): Set<string> {
  const left = new Set([...forward.keys(), ...back.keys()]);
  const counts = new Map([...left].map((node) => [node, forward.get(node)?.length ?? 0]));
  const ends = [...left].filter((node) => counts.get(node) === 0);
  for (let node = ends.pop(); node !== undefined; node = ends.pop()) {
    left.delete(node);
    for (const from of back.get(node) ?? []) {
      const count = (counts.get(from) ?? 0) - 1;
      counts.set(from, count);
      if (count === 0) ends.push(from);
    }
  }
  return left;
}

type Edges = ReadonlyMap<string, readonly string[]>;
