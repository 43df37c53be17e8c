/**
 * What somebody has edited and not saved, for each flag and environment. It is kept in this tab, so that it outlives
 * reloads, other pages, and signing in again; it belongs to the person who made it.
 */
import { useSyncExternalStore } from 'react';
import type { Conflict } from '#domain/definitions/conflict.ts';
import type { Targeting } from '#domain/definitions/definition.ts';

export interface Draft {
  /** What the edits started from; null where the flag was not defined. */
  readonly base: Targeting | null;
  /** The version that it was; null where there was none. */
  readonly etag: string | null;
  readonly targeting: Targeting;
  /** Where somebody else changed the same, and the person has not chosen yet. */
  readonly conflicts: readonly Conflict[];
  /** What the title of the change will be, unless the person writes another. */
  readonly title?: string;
  /** What the comment will be, the same way. */
  readonly comment?: string;
}

export interface DraftPlace {
  readonly person: string;
  /** Ids, since names can be given again. */
  readonly flag: string;
  readonly environment: string;
}

const keyOf = ({ person, flag, environment }: DraftPlace): string => `draft:${person}:${flag}:${environment}`;

/** Read once from the tab's storage, so that a draft is the same object until it changes. */
const known = new Map<string, Draft | undefined>();
const listeners = new Set<() => void>();

export function readDraft(place: DraftPlace): Draft | undefined {
  const key = keyOf(place);
  if (!known.has(key)) known.set(key, parsed(sessionStorage.getItem(key)));
  return known.get(key);
}

/** Undefined discards the draft. */
export function writeDraft(place: DraftPlace, draft: Draft | undefined): void {
  const key = keyOf(place);
  known.set(key, draft);
  keep(key, draft);
  for (const listener of listeners) listener();
}

export const useDraftOf = (place: DraftPlace): Draft | undefined =>
  useSyncExternalStore(subscribe, () => readDraft(place));

/** The ids of the environments in which the person has a draft of the flag. */
export const useDraftedEnvironments = (person: string, flag: string): readonly string[] =>
  useSyncExternalStore(subscribe, () => environmentsWithDraft(person, flag))
    .split(' ')
    .filter(Boolean);

/** As one text, which is the same while nothing changes. */
function environmentsWithDraft(person: string, flag: string): string {
  const start = keyOf({ person, flag, environment: '' });
  const environments = [...new Set([...Object.keys(sessionStorage), ...known.keys()])]
    .filter((key) => key.startsWith(start))
    .map((key) => key.slice(start.length));
  return environments
    .filter((environment) => readDraft({ person, flag, environment }) !== undefined)
    .sort()
    .join(' ');
}

/** Where the storage is full or forbidden the draft lives as long as the page. */
function keep(key: string, draft: Draft | undefined): void {
  try {
    if (draft === undefined) sessionStorage.removeItem(key);
    else sessionStorage.setItem(key, JSON.stringify(draft));
  } catch {
    // Nobody can do anything about it, and the draft is still here.
  }
}

function parsed(text: string | null): Draft | undefined {
  try {
    return text === null ? undefined : withDefaults(JSON.parse(text) as Draft);
  } catch {
    return undefined;
  }
}

/** A draft may be older than the page: made before there was this setting. */
const withDefaults = ({ base, targeting, ...draft }: Draft): Draft => {
  const complete = (one: Targeting): Targeting => ({ ...one, impressionsDisabled: one?.impressionsDisabled ?? false });
  return { ...draft, base: base && complete(base), targeting: complete(targeting) };
};

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}
