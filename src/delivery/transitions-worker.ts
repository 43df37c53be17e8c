/** The thread of `countTransitions`. A regular expression may take forever. */
import { parentPort } from 'node:worker_threads';
import type { Evaluable, Subject, World } from '#domain/evaluation/evaluate.ts';
import { matchesPattern } from '#domain/evaluation/match.ts';
import { type Transitions, transitionsOf } from '#domain/evaluation/transitions.ts';
import type { SegmentRules } from '#domain/rule-based-segments.ts';

/** What to count. Definitions and rules are JSON text, which is copied faster than what it says. */
export interface Counting {
  readonly before: string | undefined;
  readonly after: string | undefined;
  readonly areSeedsKnown: boolean;
  readonly others: readonly string[];
  readonly segmentRules: readonly (readonly [name: string, rules: string])[];
  readonly sampleKeys: number;
  /** For each of the two. */
  readonly milliseconds: number;
}

export interface Seen extends Subject {
  /** The standard and large segments that have the key. */
  readonly segments: readonly string[];
}

/** Sent in parts before what to count. */
let seen: Seen[] = [];

parentPort?.on('message', (message: readonly Seen[] | Counting) => {
  if (!('sampleKeys' in message)) {
    seen.push(...message);
    return;
  }
  parentPort?.postMessage(count(message));
  seen = [];
});

function count(counting: Counting): Transitions[] {
  const { before, after, areSeedsKnown, others, segmentRules, sampleKeys, milliseconds } = counting;
  const parse = (text: string | undefined) => (text === undefined ? undefined : (JSON.parse(text) as Evaluable));
  const change = { before: parse(before), after: parse(after), areSeedsKnown };
  const flags = new Map(others.map((text) => JSON.parse(text) as Evaluable).map((flag) => [flag.name, flag]));
  const rules = new Map(segmentRules.map(([name, text]) => [name, JSON.parse(text) as SegmentRules]));
  const segments = new Map(seen.map((one) => [one.key, one.segments]));
  const world: World = {
    definitionOf: (name) => flags.get(name),
    listsKey: (segment, key) => segments.get(key)?.includes(segment) ?? false,
    segmentRulesOf: (name) => rules.get(name),
    matches: matchesPattern,
  };
  const counted = (subjects: Iterable<Subject>) => {
    const end = performance.now() + milliseconds;
    return { world, subjects, isTimeUp: () => performance.now() > end };
  };
  return [
    transitionsOf('sample', change, counted(sample(sampleKeys))),
    ...(seen.length > 0 ? [transitionsOf('seen', change, counted(seen))] : []),
  ];
}

function* sample(count: number): Generator<Subject> {
  for (let number = 1; number <= count; number += 1) yield { key: `sample-${number}`, attributes: {} };
}
