/** What SDKs poll: flags, rule-based segments and segments. Answered from memory. */
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { ChangesQuery, Encoding, FlagFilter } from '#delivery/bodies.ts';
import type { Feed } from '#delivery/feed.ts';
import type { Sdks } from '#delivery/sdks.ts';
import type { Snapshot } from '#delivery/snapshot.ts';
import { fallsBack } from '#domain/sdks.ts';
import { type Spec, specs } from '#domain/wire/flags.ts';
import { acceptedEncoding } from '../server/compression.ts';
import { type Asked, type Body, Refusal, type SdkEndpoint, unavailable } from './respond.ts';

export const polls = (feed: Feed, sdks: Sdks, version: string): SdkEndpoint[] => [
  { method: 'GET', path: '/api/splitChanges', answer: (asked) => splitChanges(feed, sdks, asked) },
  { method: 'GET', path: '/api/segmentChanges/*', answer: (asked) => segmentChanges(feed, asked) },
  { method: 'GET', path: '/api/memberships/*', answer: (asked) => memberships(feed, asked) },
  { method: 'GET', path: '/api/mySegments/*', answer: (asked) => mySegments(feed, asked) },
  // Health checks; the Go SDK takes a 404 for an old proxy.
  { method: 'GET', path: '/api/version', answer: () => ({ body: JSON.stringify({ version }) }) },
];

/** Without promises where nothing has to be waited for: this is most of what a server does. */
function splitChanges(feed: Feed, sdks: Sdks, asked: Asked): Body | Promise<Body> {
  const { request, startedAt } = asked;
  const accepted = () => acceptedEncoding(request.headers['accept-encoding']);
  return after(asked.key(), ({ environmentId }) => {
    const stated = parsed(asked.search);
    const { since, spec } = stated;
    const caller = asked.sdk();
    // One that fell back before it had anything gets rule-based segments in no other way.
    const hasFallenBack = spec === '1.2' && since === -1 && caller?.sdk !== undefined && fallsBack(caller.sdk);
    const query = hasFallenBack ? toQuery({ ...stated, spec: '1.3' }) : stated;
    if (caller && since >= 0) sdks.has(caller, since, spec);
    return after(feed.current(environmentId), (snapshot) => {
      if (!snapshot) throw unavailable();
      if (isAhead(snapshot, query)) return rechecked(feed, { snapshot, query, accepted });
      return after(snapshot.bodies.of(query, accepted), (encoded) => {
        const { flagsNumber: changeNumber, flagCount } = snapshot;
        if (caller && since === -1) {
          const milliseconds = Math.round(performance.now() - startedAt);
          sdks.fetched(caller, { flags: flagCount, bytes: encoded.body.length, milliseconds });
        }
        if (!caller || since >= changeNumber) return encoded;
        return { ...encoded, sent: () => sdks.sent(caller, { since, spec, changeNumber }) };
      });
    });
  });
}

const after = <Value, Result>(
  value: Value | Promise<Value>,
  next: (value: Value) => Result | Promise<Result>,
): Result | Promise<Result> => (value instanceof Promise ? value.then(next) : next(value));

interface Poll {
  readonly snapshot: Snapshot;
  readonly query: ChangesQuery;
  readonly accepted: () => Encoding | undefined;
}

/** The SDK knows more than there is: this node is behind, or the database was restored. */
async function rechecked(feed: Feed, { snapshot, query, accepted }: Poll): Promise<Body> {
  const current = await feed.recheck(snapshot.environmentId);
  const { bodies } = current ?? snapshot;
  return bodies.of({ ...query, isRestored: current !== undefined }, accepted);
}

/** Of recent polls, by their query: SDKs that know the same ask the same. */
const recent = new Map<string, ChangesQuery>();
const maxRecent = 500;
const maxRecentLength = 500;

function parsed(search: string): ChangesQuery {
  const known = recent.get(search);
  if (known) return known;
  const parameters = new URLSearchParams(search);
  const query = toQuery({
    spec: specOf(parameters),
    since: numberOf(parameters, 'since'),
    rbSince: numberOf(parameters, 'rbSince'),
    filter: filterOf(parameters),
  });
  if (recent.size >= maxRecent) recent.clear();
  if (search.length <= maxRecentLength) recent.set(search, query);
  return query;
}

function toQuery(of: Omit<ChangesQuery, 'text' | 'isRestored'>): ChangesQuery {
  const { spec, since, rbSince, filter } = of;
  const text = `${spec} ${since} ${rbSince} ${filter?.text ?? ''}`;
  return { text, spec, since, rbSince, filter, isRestored: false };
}

const isAhead = ({ flagsNumber, ruleBasedNumber }: Snapshot, { since, rbSince }: ChangesQuery): boolean =>
  since > flagsNumber || rbSince > ruleBasedNumber;

function specOf(query: URLSearchParams): Spec {
  const spec = query.get('s') ?? '1.0';
  const known = specs.find((one) => one === spec);
  if (!known) throw new Refusal(400, `unsupported flag spec: ${spec}`);
  return known;
}

function numberOf(query: URLSearchParams, name: string): number {
  const text = query.get(name) ?? '-1';
  if (!/^-?\d{1,16}$/.test(text)) throw new Refusal(400, `${name} must be a number`);
  return Math.max(Number(text), -1);
}

/** By sets, or else by names and prefixes together. */
function filterOf(query: URLSearchParams): FlagFilter | undefined {
  const [sets, names, prefixes] = ['sets', 'names', 'prefixes'].map((name) => listOf(query, name)) as [
    List,
    List,
    List,
  ];
  if (sets.length > 0) {
    const wanted = new Set(sets);
    return { text: `sets ${sets}`, has: (flag) => flag.sets.some((set) => wanted.has(set)), canLeave: true };
  }
  if (names.length + prefixes.length === 0) return undefined;
  const wanted = new Set(names);
  return {
    text: `names ${names} prefixes ${prefixes}`,
    has: ({ name }) => wanted.has(name) || prefixes.some((prefix) => name.startsWith(prefix)),
    canLeave: false,
  };
}

type List = readonly string[];

const listOf = (query: URLSearchParams, name: string): List =>
  [...new Set(query.get(name)?.split(','))].filter((item) => item !== '').sort();

async function segmentChanges(feed: Feed, asked: Asked): Promise<Body> {
  const { request, rest: name, query } = asked;
  const { environmentId, type } = await asked.key();
  if (type === 'client_side') throw new Refusal(403, 'A client-side key cannot read the keys of a segment');
  const since = numberOf(query, 'since');
  const changes = await feed.keysSince(environmentId, name, since);
  if (!changes) throw unavailable();
  if (!Buffer.isBuffer(changes)) {
    const { added, removed, till } = changes;
    return { body: JSON.stringify({ name, added, removed, since, till }) };
  }
  if (acceptedEncoding(request.headers['accept-encoding'], ['gzip'])) return { body: changes, encoding: 'gzip' };
  return { body: await promisify(gunzip)(changes) };
}

async function memberships(feed: Feed, asked: Asked): Promise<Body> {
  const snapshot = await feed.current((await asked.key()).environmentId);
  if (!snapshot) throw unavailable();
  const { standard, large } = snapshot.membershipsOf(asked.rest);
  const toPart = (names: readonly string[]) => ({ k: names.map((n) => ({ n })) });
  // Without a change number, which SDKs would compare with those of messages. There is none that fits: a segment that a
  // flag names from now on, or a large one that took long to read, changes memberships without a new number of its own.
  return { body: JSON.stringify({ ms: toPart(standard), ls: toPart(large) }) };
}

/** For SDKs that do not know large segments. */
async function mySegments(feed: Feed, asked: Asked): Promise<Body> {
  const snapshot = await feed.current((await asked.key()).environmentId);
  if (!snapshot) throw unavailable();
  const segments = snapshot.membershipsOf(asked.rest).standard.map((name) => ({ id: name, name }));
  return { body: JSON.stringify({ mySegments: segments }) };
}
