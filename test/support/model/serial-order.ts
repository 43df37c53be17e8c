/**
 * Whether what concurrent clients were answered could have come about one request after the other: in some order that
 * keeps each client's own, and in which what was answered before another was asked comes first.
 */
import type { Answer } from '../app.ts';
import { differenceOf, type Ids } from './compare.ts';
import type { Aim, Step } from './step.ts';
import type { World } from './world.ts';

/** A request that was made, with when it was asked and when answered, in the order of all such moments. */
export interface Made {
  readonly step: Step;
  readonly aim: Aim;
  readonly tag: string;
  readonly asked: number;
  readonly answered: number;
  readonly answer: Answer;
}

export interface Found {
  /** In such an order, or undefined when there is none. */
  readonly order: readonly Made[] | undefined;
  /** How many times a request was tried on a world. */
  readonly tried: number;
  /** The longest beginning of an order that was found, and why the next did not fit. */
  readonly furthest: { readonly length: number; readonly differences: readonly string[] };
}

/**
 * `recorded` has the transaction ids of the audit log. Responses alone do not tell which of two equal changes came first
 * and which changed nothing; the log does.
 */
export function findSerialOrder(
  world: World,
  clients: readonly (readonly Made[])[],
  { ids, recorded }: { readonly ids: Ids; readonly recorded: ReadonlySet<unknown> },
): Found {
  const refuted = new Set<string>();
  let tried = 0;
  let furthest: { length: number; differences: string[] } = { length: -1, differences: [] };

  const search = (now: World, done: readonly number[], order: readonly Made[]): readonly Made[] | undefined => {
    const next = clients.flatMap((made, client) => {
      const one = made[done[client] ?? 0];
      return one ? [{ one, client }] : [];
    });
    if (next.length === 0) return order;
    const place = JSON.stringify([done, now]);
    if (refuted.has(place)) return undefined;
    const soonest = Math.min(...next.map(({ one }) => one.answered));
    for (const { one, client } of next.filter((candidate) => candidate.one.asked < soonest)) {
      const after = structuredClone(now);
      tried += 1;
      const expected = one.step.apply(after, one.aim, one.tag);
      const hasEntry = recorded.has(one.answer.headers['x-transaction-id']);
      const wrong =
        differenceOf(expected, one.answer, ids, 'concurrent') ??
        (hasEntry === Boolean(expected.entry) ? undefined : `${hasEntry ? 'an' : 'no'} entry in the audit log`);
      if (wrong !== undefined) {
        if (order.length > furthest.length) furthest = { length: order.length, differences: [] };
        if (order.length === furthest.length) furthest.differences.push(`${one.step.name}: ${wrong}`);
        continue;
      }
      const rest = search(after, done.with(client, (done[client] ?? 0) + 1), [...order, one]);
      if (rest) return rest;
    }
    refuted.add(place);
    return undefined;
  };

  const order = search(
    world,
    clients.map(() => 0),
    [],
  );
  return { order, tried, furthest };
}
