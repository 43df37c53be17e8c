/**
 * Runs the regular expressions of rules on what clients send, exactly like SDKs in JavaScript, but without letting one
 * of them stall the process: some expressions take years for a short text.
 *
 * A match that cannot need many steps runs directly, which takes less than a microsecond. Any other runs with a time
 * limit, for which Node starts a thread: that takes 0.2 ms. An expression that exceeded the limit is not run again for a
 * while, so that clients cannot keep the process busy with it.
 */
import { createContext, Script } from 'node:vm';
import { stepsOf } from '#domain/evaluation/pattern-steps.ts';

/** On the clock, because Node has no other limit. */
const limitMs = 25;
/** If it used less of the processor than this, it was not the expression that took so long. */
const leastUsedMs = 10;
const maxTries = 3;
const pauseMs = 1_000;
/** Bounds memory. */
const maxSlow = 1_000;
/** About 10 ms. */
const maxSteps = 10_000_000;

/** An expression needs too long for a text, or did a moment ago. */
export class PatternTooSlow extends Error {}

export interface Patterns {
  /** Expressions that JavaScript does not support match nothing. Throws PatternTooSlow. */
  matches(pattern: string, text: string): boolean;
}

interface Compiled {
  readonly expression: RegExp;
  readonly steps: (length: number) => number;
}

export function createPatterns(): Patterns {
  const compiled = new Map<string, Compiled | undefined>();
  return {
    matches: (pattern, text) => {
      if (!compiled.has(pattern)) compiled.set(pattern, compile(pattern));
      const found = compiled.get(pattern);
      if (!found) return false;
      const { expression, steps } = found;
      return steps(text.length) <= maxSteps ? expression.test(text) : matchesInTime(expression, text);
    },
  };
}

function compile(pattern: string): Compiled | undefined {
  try {
    return { expression: new RegExp(pattern), steps: stepsOf(pattern) };
  } catch {
    return undefined;
  }
}

const inside = createContext(Object.create(null) as Record<string, unknown>);
const script = new Script('expression.test(text)');
/** Until when they are not run. */
const slow = new Map<string, number>();

function matchesInTime(expression: RegExp, text: string): boolean {
  const { source } = expression;
  if ((slow.get(source) ?? 0) > performance.now()) throw new PatternTooSlow(source);
  Object.assign(inside, { expression, text });
  for (let tries = 1; ; tries += 1) {
    const before = process.threadCpuUsage();
    try {
      return script.runInContext(inside, { timeout: limitMs }) as boolean;
    } catch (error) {
      if ((error as { code?: string }).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
      const used = process.threadCpuUsage(before);
      if (tries < maxTries && used.user + used.system < leastUsedMs * 1_000) continue;
      if (slow.size >= maxSlow) slow.clear();
      slow.set(source, performance.now() + pauseMs);
      throw new PatternTooSlow(source);
    }
  }
}
