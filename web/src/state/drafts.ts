/**
 * Unsaved edits for each flag or rule-based segment and environment. Kept in the browser's storage, so that all of its
 * tabs show the same draft, and it survives reloads, closed tabs and signing in again. A draft belongs to the user who
 * made it.
 */
import { useMemo, useSyncExternalStore } from 'react';
import type { Targeting } from '#domain/definitions/definition.ts';
import type { Unsaved } from '#domain/definitions/rebase.ts';

export interface Draft extends Unsaved {
  /** The version of `base`; null if there was none. */
  readonly etag: string | null;
  /** The suggested title of the change. */
  readonly title?: string;
  /** The suggested comment. */
  readonly comment?: string;
  /** It takes an earlier change back: conflicts are with what was changed since, by anybody. */
  readonly isRevert?: boolean;
  /** Its author may not save it, and chose to propose it to those who may. */
  readonly isProposal?: boolean;
}

export interface DraftPlace {
  readonly person: string;
  /** What identifies the flag or segment: not only its name, which can be reused. */
  readonly object: string;
  readonly environment: string;
}

/** Identifies the definition, regardless of who drafts it. */
export const definitionAt = ({ object, environment }: DraftPlace): string => `${object} ${environment}`;

const keyOf = ({ person, object, environment }: DraftPlace): string => `draft:${person}:${object}:${environment}`;

/** Read once from storage, so that a draft stays the same object until it changes. */
const known = new Map<string, Draft | undefined>();
const listeners = new Set<() => void>();
/** Drafts that the storage has no room for: they end with this tab. */
const unkept = new Set<string>();

export function readDraft(place: DraftPlace): Draft | undefined {
  const key = keyOf(place);
  if (!known.has(key)) known.set(key, parsed(localStorage.getItem(key)));
  return known.get(key);
}

/** Undefined discards the draft. */
export function writeDraft(place: DraftPlace, draft: Draft | undefined): void {
  const key = keyOf(place);
  known.set(key, draft);
  keep(key, draft);
  notify();
}

/** False if closing the tab would lose the draft. */
export const isKept = (place: DraftPlace): boolean => !unkept.has(keyOf(place));

/** Whether the user has any. */
export const hasDrafts = (person: string): boolean => placesOfDrafts(person) !== '';

export const useDraftOf = (place: DraftPlace): Draft | undefined =>
  useSyncExternalStore(subscribe, () => readDraft(place));

/** Where the user has drafts: the ids of the environments, by the id of the flag or segment. */
export function useDrafts(person: string): ReadonlyMap<string, readonly string[]> {
  const places = useSyncExternalStore(subscribe, () => placesOfDrafts(person));
  return useMemo(() => {
    const found = new Map<string, string[]>();
    for (const place of places.split(' ').filter(Boolean)) {
      const [object = '', environment = ''] = place.split(':');
      found.set(object, [...(found.get(object) ?? []), environment]);
    }
    return found;
  }, [places]);
}

/** Joined into one string, which compares equal while nothing changes. */
function placesOfDrafts(person: string): string {
  const start = `draft:${person}:`;
  const keys = new Set([...Object.keys(localStorage), ...known.keys()]);
  const places = [...keys].filter((key) => key.startsWith(start)).map((key) => key.slice(start.length));
  return places
    .filter((place) => {
      const [object = '', environment = ''] = place.split(':');
      return readDraft({ person, object, environment }) !== undefined;
    })
    .sort()
    .join(' ');
}

/** If storage is full or blocked, what was kept last stays there, and later edits live as long as the page. */
function keep(key: string, draft: Draft | undefined): void {
  try {
    unkept.delete(key);
    if (draft === undefined) localStorage.removeItem(key);
    else localStorage.setItem(key, JSON.stringify(draft));
  } catch {
    unkept.add(key);
  }
}

function parsed(text: string | null): Draft | undefined {
  try {
    return text === null ? undefined : withDefaults(JSON.parse(text) as Draft);
  } catch {
    return undefined;
  }
}

/** A stored draft may predate this field. */
const withDefaults = ({ base, targeting, ...draft }: Draft): Draft => {
  const complete = (one: Targeting): Targeting => ({ ...one, impressionsDisabled: one?.impressionsDisabled ?? false });
  return { ...draft, base: base && complete(base), targeting: complete(targeting) };
};

/** Another tab changed the draft with this key of the storage, or any if it is null. */
export function readDraftsAgain(changed: string | null): void {
  for (const key of known.keys()) if ((changed ?? key) === key && !unkept.has(key)) known.delete(key);
  notify();
}

function notify(): void {
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}
