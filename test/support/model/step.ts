/** One request of a random sequence: what is sent, the expected response, and the world after it. */
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import type { Calls } from '../app.ts';
import type { World } from './world.ts';

function often(first: string, weight: number, ...others: readonly string[]): fc.Arbitrary<string> {
  return fc.oneof({ arbitrary: fc.constant(first), weight }, ...others.map((one) => fc.constant(one)));
}

/** What steps name things by: small pools, so that they meet. */
export const names = {
  p: often('Default', 14, 'p1', 'p2'),
  e: often('Staging-Default', 10, 'Prod-Default', 'e1'),
  t: often('user', 4, 'account', 't1'),
  f: often('f1', 8, 'f2', 'f3'),
  g: often('g1', 6, 'g2', 'Administrators'),
  u: often('u1', 4, 'u2'),
  k: often('k1', 2, 'k2'),
};
type Names = { readonly [Pool in keyof typeof names]?: string };

/** A thing that a step names: its mark if it is there when the step is sent, and what the request says for it. */
export interface Aimed {
  readonly mark: string | undefined;
  readonly word: string;
}
export type Aim = { readonly [Pool in keyof typeof names]: Aimed } & {
  /** Of the flag and its definition, as they are when the step is sent. */
  readonly versions: { readonly flag: number | undefined; readonly definition: number | undefined };
};

export interface Sent {
  readonly method: Parameters<Calls['call']>[0];
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** The key to ask with, if not the first. */
  readonly as?: Aimed;
}

/** An entry of the audit log. */
export interface Entry {
  readonly action: string;
  readonly object: { readonly type: string; readonly id: string; readonly name: string };
  readonly project?: string;
  readonly environment?: string;
  readonly before?: unknown;
  readonly after?: unknown;
  readonly note?: Note;
  /** If not the first key. */
  readonly editor?: unknown;
}

export interface Answered {
  readonly status: number;
  /** Of a success; marks stand for ids, and `@any` for what cannot be known. */
  readonly body?: unknown;
  /** Of a refusal; undefined where the body is empty. */
  readonly message?: string;
  readonly etag?: { readonly mark: string; readonly revision: number };
  readonly entry?: Entry;
  /** Entries of what is deleted with it, in their order, before its own. */
  readonly earlierEntries?: readonly Entry[];
}

/** What a step may ask of the world before it is sent. */
export interface Sending {
  readonly aim: Aim;
  readonly world: World;
  /** The id that a mark stands for. */
  readonly idOf: (mark: string) => string;
}

export interface Step {
  readonly name: string;
  readonly params: Names;
  send(sending: Sending): Sent;
  /** Changes the world, unless it refuses. `tag` is not like that of any other step. */
  apply(world: World, aim: Aim, tag: string): Answered;
}

export interface Rule<Params extends Names> {
  readonly params: fc.Arbitrary<Params>;
  readonly send: (params: Params, sending: Sending) => Sent;
  readonly apply: (world: World, params: Params, aim: Aim, tag: string) => Answered;
}

export const rule = <Params extends Names>(name: string, { params, send, apply }: Rule<Params>): fc.Arbitrary<Step> =>
  params.map((chosen) => ({
    name,
    params: chosen,
    [fc.toStringMethod]: () => `${name} ${JSON.stringify(chosen)}`,
    send: (sending) => send(chosen, sending),
    apply: (world, aim, tag) => apply(world, chosen, aim, tag),
  }));

/** The thing that was aimed at, as the world is now: by its mark, or by its name where it was not there. */
export const hit = <Thing extends { readonly mark: string; readonly name: string }>(
  things: readonly Thing[],
  { mark, word }: Aimed,
): Thing | undefined => things.find((thing) => (mark === undefined ? thing.name === word : thing.mark === mark));

/** The same for objects that are named only by id. */
export const byId = <Thing extends { readonly mark: string }>(things: readonly Thing[], { mark }: Aimed) =>
  things.find((thing) => thing.mark === mark);

/** A change that changes nothing leaves no entry. */
export function ok(body: unknown, { entry, ...more }: Omit<Answered, 'status' | 'body'> = {}): Answered {
  const isTrace = entry && (entry.before === undefined || !isDeepStrictEqual(entry.before, entry.after));
  return { status: 200, body, ...more, ...(isTrace ? { entry } : {}) };
}
export const refusal = (status: number, message: string): Answered => ({ status, message });
export const missing = (thing: string, { word }: Aimed): Answered => refusal(404, `Could not find ${thing} ${word}`);
export const page = (objects: readonly unknown[], limit: number) => ({
  objects,
  offset: 0,
  limit,
  totalCount: objects.length,
});

export interface Note {
  readonly title?: string;
  readonly comment?: string;
}
const whole = { title: 'why', comment: 'because' };
export const notes: fc.Arbitrary<Note> = fc.constantFrom(whole, whole, {}, { title: 'why' });
export const noteQuery = (note: Note) => (Object.keys(note).length === 0 ? '' : `?${new URLSearchParams({ ...note })}`);
export const isMissing = (project: { readonly requiresNote: boolean }, { title, comment }: Note) =>
  project.requiresNote && !(title && comment);

/** Whether If-Match is sent, and what it says. */
export const matches = fc.constantFrom('none', 'none', 'none', 'none', 'current', 'current', 'any', 'stale');
type Match = 'none' | 'current' | 'stale' | 'any';

/** The header for the version of the flag, or of its definition, that the sender knows. */
export function ifMatch(match: Match, version: keyof Aim['versions'], { aim, idOf }: Sending): Record<string, string> {
  const { f, versions } = aim;
  if (match === 'none') return {};
  if (match === 'any') return { 'if-match': '*' };
  if (match === 'stale' || f.mark === undefined) return { 'if-match': '"1-000000000000"' };
  return { 'if-match': `"${versions[version]}-${idOf(f.mark).slice(-12)}"` };
}

/** Whether it holds for a thing of this revision; undefined: there is none. */
export const holds = (match: Match, known: number | undefined, revision: number | undefined): boolean =>
  match === 'none' || (revision !== undefined && (match === 'any' || (match === 'current' && known === revision)));

export const noLongerHolds = refusal(
  412,
  'If-Match does not match the current ETag: this was changed in the meantime, or does not exist yet',
);
