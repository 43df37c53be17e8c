/** A value outside of React that parts of the page watch. */
import { useSyncExternalStore } from 'react';

export interface Notices<Value> {
  get(): Value;
  set(value: Value): void;
  /** The value now, and again whenever it changes. */
  use(): Value;
}

export function noticesOf<Value>(first: Value): Notices<Value> {
  let current = first;
  const listeners = new Set<() => void>();
  const subscribe = (listener: () => void) => {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  };
  const get = () => current;
  return {
    get,
    set: (value) => {
      current = value;
      for (const listener of listeners) listener();
    },
    use: () => useSyncExternalStore(subscribe, get),
  };
}
