/** Parts of pages that load when they are needed, or once the page is idle. */
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

/** A failed load is retried when the part is needed. */
export function loadWaiting(): void {
  for (const load of waiting.splice(0)) void load().catch(() => undefined);
}
