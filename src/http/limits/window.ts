/**
 * Counts by name in time windows. In memory and synchronous.
 *
 * Invariants
 * 1. A window starts with the first count of its name. All have the same length, so the map has them in the order they
 *    end, expired ones first.
 * 2. There are never more than `maxNames` names: further ones end the oldest windows early.
 */

const maxNames = 100_000;

export interface Count {
  readonly count: number;
  /** Whole seconds until the window ends, at least one. */
  readonly seconds: number;
}

export interface Counter {
  add(name: string): Count;
  /** What `add` would return, without counting. */
  peek(name: string): Count;
  /** Undoes one count. */
  takeBack(name: string): void;
  forget(name: string): void;
  /** Whether the name has an open window. */
  has(name: string): boolean;
}

export function createCounter(windowSeconds: number, clock: () => number = () => performance.now()): Counter {
  const windows = new Map<string, { count: number; readonly endsAt: number }>();
  const dropEnded = (now: number) => {
    for (const [name, { endsAt }] of windows) {
      if (endsAt > now && windows.size < maxNames) return;
      windows.delete(name);
    }
  };
  return {
    add: (name) => {
      // Sums of fractions have rounding errors, which would add a second.
      const now = Math.floor(clock());
      dropEnded(now);
      const window = windows.get(name) ?? { count: 0, endsAt: now + windowSeconds * 1000 };
      window.count += 1;
      windows.set(name, window);
      return { count: window.count, seconds: Math.ceil((window.endsAt - now) / 1000) };
    },
    peek: (name) => {
      const now = Math.floor(clock());
      const { count, endsAt } = windows.get(name) ?? { count: 0, endsAt: 0 };
      if (endsAt <= now) return { count: 1, seconds: windowSeconds };
      return { count: count + 1, seconds: Math.ceil((endsAt - now) / 1000) };
    },
    takeBack: (name) => {
      const window = windows.get(name);
      if (window) window.count -= 1;
    },
    forget: (name) => void windows.delete(name),
    has: (name) => (windows.get(name)?.endsAt ?? 0) > Math.floor(clock()),
  };
}
