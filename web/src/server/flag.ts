/** The current flag: `/p/:project/flags/:flag/…`. */
import { createContext, useContext } from 'react';
import { getFlag } from '#contract/flags.ts';
import type { ExpandedDefinition } from '#domain/definitions/summary.ts';
import { type Answer, reading } from './api.ts';
import type { Environment } from './project.ts';
import { definitionsRefreshMs } from './query-client.ts';

/** With all its definitions. */
export type FlagAnswer = Answer<typeof getFlag> & { readonly definitions: readonly ExpandedDefinition[] };

export const FlagContext = createContext<FlagAnswer | null>(null);

/** The current flag and its definitions: already loaded, and refetched when others change them. */
export function useFlag(): FlagAnswer {
  const flag = useContext(FlagContext);
  if (!flag) throw new Error('outside of a flag');
  return flag;
}

/** Defined once, so that it does not run on every render. */
const withDefinitions = (answer: Answer<typeof getFlag>): FlagAnswer => ({
  ...answer,
  definitions: answer.definitions ?? [],
});

/** By name or id. With all its definitions, so that switching environments needs no request. */
export const flagReading = (project: string, flag: string) => ({
  ...reading(getFlag, { params: { project, flag }, query: { expand: 'definitions' } }),
  select: withDefinitions,
  refetchInterval: definitionsRefreshMs,
});

const environmentKey = (projectId: string) => `environment ${projectId}`;
export const rememberEnvironment = (projectId: string, name: string): void =>
  localStorage.setItem(environmentKey(projectId), name);

/** For addresses without an environment: the last visited, or else the first. */
export function likelyEnvironment(projectId: string, environments: readonly Environment[]): Environment | undefined {
  const last = localStorage.getItem(environmentKey(projectId));
  return environments.find(({ name }) => name === last) ?? environments[0];
}

/** Recently viewed flags, newest first, for the palette. */
const recentKey = 'recent flags';
const maxRecent = 6;

export interface RecentFlag {
  readonly project: string;
  readonly flag: string;
}

export function recentFlags(): RecentFlag[] {
  try {
    return JSON.parse(localStorage.getItem(recentKey) ?? '[]') as RecentFlag[];
  } catch {
    return [];
  }
}

export function rememberFlag(seen: RecentFlag): void {
  const others = recentFlags().filter(({ project, flag }) => project !== seen.project || flag !== seen.flag);
  localStorage.setItem(recentKey, JSON.stringify([seen, ...others].slice(0, maxRecent)));
}
