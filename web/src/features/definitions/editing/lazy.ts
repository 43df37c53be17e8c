/** Parts of the flag page that are not needed at first: they are loaded when the page has nothing else to do. */
import { type ComponentType, type LazyExoticComponent, lazy } from 'react';

type Loader<Name extends string, Props> = () => Promise<Record<Name, ComponentType<Props>>>;

const waiting: (() => Promise<unknown>)[] = [];

export function lazyPart<Name extends string, Props>(
  name: Name,
  load: Loader<Name, Props>,
): LazyExoticComponent<ComponentType<Props>> {
  waiting.push(load);
  return lazy(() => load().then((module) => ({ default: module[name] })));
}

/** A connection that fails now is asked again when the part is needed. */
export function loadWaiting(): void {
  for (const load of waiting.splice(0)) void load().catch(() => undefined);
}
