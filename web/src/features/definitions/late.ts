/** Parts of the flag page that nobody needs at first sight: they come when the page has nothing else to do. */
import { type ComponentType, type LazyExoticComponent, lazy } from 'react';

type Loader<Name extends string, Props> = () => Promise<Record<Name, ComponentType<Props>>>;

const waiting: (() => Promise<unknown>)[] = [];

function late<Name extends string, Props>(
  name: Name,
  load: Loader<Name, Props>,
): LazyExoticComponent<ComponentType<Props>> {
  waiting.push(load);
  return lazy(() => load().then((module) => ({ default: module[name] })));
}

export const DefinitionDialogs = late('DefinitionDialogs', () => import('./DefinitionDialogs.tsx'));
export const TreatmentsCard = late('TreatmentsCard', () => import('./TreatmentsCard.tsx'));
export const RuleEditor = late('RuleEditor', () => import('./RuleEditor.tsx'));
export const TargetsEditor = late('TargetsEditor', () => import('./TargetsEditor.tsx'));
export const NotDefined = late('NotDefined', () => import('./NotDefined.tsx'));
export const ConflictPanel = late('ConflictPanel', () => import('./ConflictPanel.tsx'));
export const EffectLine = late('EffectLine', () => import('./EffectLine.tsx'));
export const Rail = late('Rail', () => import('./Rail.tsx'));

/** A connection that fails now is asked again when the part is needed. */
export function loadWaiting(): void {
  for (const load of waiting.splice(0)) void load().catch(() => undefined);
}
