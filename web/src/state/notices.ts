/** A value outside React that components subscribe to. */
import { useSyncExternalStore } from 'react';

export interface Notices<Value> {
  get(): Value;
  set(value: Value): void;
  /** The current value; rerenders when it changes. */
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
