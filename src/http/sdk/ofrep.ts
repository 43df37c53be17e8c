/**
 * Evaluation over HTTP, for languages without an SDK: the OpenFeature Remote Evaluation Protocol. With a server-side key,
 * because whoever has the key can evaluate for everyone.
 */
import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { takeTurns } from '#concurrency/turns.ts';
import { type EvaluatedFlag, evaluateFlag } from '#delivery/evaluation.ts';
import type { Feed } from '#delivery/feed.ts';
import type { SdkKey } from '#delivery/keys.ts';
import { PatternTooSlow } from '#delivery/patterns.ts';
import { type Sdks, toCaller } from '#delivery/sdks.ts';
import type { Snapshot } from '#delivery/snapshot.ts';
import type { Traffic } from '#delivery/traffic.ts';
import { parseKey, type Subject } from '#domain/evaluation/evaluate.ts';
import { isObject } from '#domain/json.ts';
import { type Asked, type Body, parseBody, Refusal, type SdkEndpoint, textOf, unavailable } from './respond.ts';

interface Evaluating {
  readonly feed: Feed;
  readonly sdks: Sdks;
  readonly traffic: Traffic;
}

export const ofrep = (evaluating: Evaluating): SdkEndpoint[] => [
  { method: 'POST', path: '/ofrep/v1/evaluate/flags/*', answer: (asked) => evaluateOne(evaluating, asked) },
  { method: 'POST', path: '/ofrep/v1/evaluate/flags', answer: (asked) => evaluateAll(evaluating.feed, asked) },
  { method: 'GET', path: '/ofrep/v1/configuration', answer: configuration },
];

async function evaluateOne({ feed, sdks, traffic }: Evaluating, asked: Asked): Promise<Body> {
  const { request, rest: flag } = asked;
  const key = requireServerSide(await asked.key());
  const snapshot = requireSnapshot(await feed.current(key.environmentId));
  const caller = toCaller({ key, sdk: 'ofrep' });
  sdks.seen(caller);
  const subject = subjectIn(await textOf(request, maxBytes));
  if ('errorCode' in subject) return json(400, { key: flag, ...subject });
  const { status, result } = resultOf(snapshot, flag, subject);
  if ('variant' in result) {
    const { variant: treatment, metadata } = result;
    const answer = { flag, key: subject.key, treatment, label: metadata.rule };
    traffic.evaluated(snapshot, caller, answer);
    if (sdks.wantsAnswers(snapshot.environmentId)) {
      sdks.answered(snapshot.environmentId, [{ ...answer, at: Date.now() }]);
    }
  }
  return json(status, result);
}

async function evaluateAll(feed: Feed, asked: Asked): Promise<Body> {
  const { request } = asked;
  const { environmentId } = requireServerSide(await asked.key());
  const snapshot = requireSnapshot(await feed.current(environmentId));
  const text = await textOf(request, maxBytes);
  const subject = subjectIn(text);
  if ('errorCode' in subject) return json(400, subject);
  const flags: string[] = [];
  const turns = takeTurns();
  for (const name of snapshot.flagNames) {
    flags.push(JSON.stringify(resultOf(snapshot, name, subject).result));
    if (turns.isOver()) await turns.next();
  }
  return unlessKnown(request, `{"flags":[${flags.join()}]}`, text);
}

async function configuration(asked: Asked): Promise<Body> {
  requireServerSide(await asked.key());
  const capabilities = {
    cacheInvalidation: { polling: { enabled: true, minPollingIntervalMs: 1_000 } },
    flagEvaluation: { supportedTypes: ['boolean', 'string'] },
    caching: { enabled: false },
  };
  return unlessKnown(asked.request, JSON.stringify({ name: 'Burgee', capabilities }));
}

function requireServerSide(key: SdkKey): SdkKey {
  if (key.type !== 'server_side') throw new Refusal(403, 'Evaluation over HTTP needs a server-side key');
  return key;
}

function requireSnapshot(snapshot: Snapshot | undefined): Snapshot {
  if (!snapshot) throw unavailable();
  return snapshot;
}

const maxBytes = 262_144;

interface Failure {
  readonly errorCode: 'PARSE_ERROR' | 'TARGETING_KEY_MISSING' | 'INVALID_CONTEXT' | 'FLAG_NOT_FOUND' | 'GENERAL';
  readonly errorDetails: string;
}

function subjectIn(text: string): Subject | Failure {
  const body = parseBody(text);
  if (!isObject(body)) return { errorCode: 'PARSE_ERROR', errorDetails: 'The body must be a JSON object' };
  const { context = {} } = body;
  if (!isObject(context)) return { errorCode: 'INVALID_CONTEXT', errorDetails: 'context must be an object' };
  const { targetingKey = '', ...attributes } = context;
  if (typeof targetingKey !== 'string') {
    return { errorCode: 'INVALID_CONTEXT', errorDetails: 'context/targetingKey must be text' };
  }
  const key = parseKey(targetingKey);
  if (key !== undefined) return { key, attributes };
  return targetingKey.trim() === ''
    ? { errorCode: 'TARGETING_KEY_MISSING', errorDetails: 'context/targetingKey is required: the key to evaluate for' }
    : { errorCode: 'INVALID_CONTEXT', errorDetails: 'context/targetingKey must not have more than 250 characters' };
}

function resultOf(snapshot: Snapshot, key: string, subject: Subject) {
  try {
    const evaluated = evaluateFlag(snapshot, key, subject);
    return evaluated
      ? { status: 200, result: toResult(key, evaluated) }
      : { status: 404, result: { key, ...notFound } };
  } catch (error) {
    if (!(error instanceof PatternTooSlow)) throw error;
    return { status: 400, result: { key, ...tooSlow(error) } };
  }
}

const notFound: Failure = {
  errorCode: 'FLAG_NOT_FOUND',
  errorDetails: 'The flag has no definition in the environment of this key',
};

const tooSlow = ({ message }: PatternTooSlow): Failure => ({
  errorCode: 'GENERAL',
  errorDetails: `A regular expression of the flag takes too long: ${message}`,
});

/** Metadata has no members with objects: the configuration stays text. */
const toResult = (key: string, evaluated: EvaluatedFlag) => {
  const { value, variant, reason, rule, changeNumber, configuration } = evaluated;
  // Undefined members are not sent.
  return { key, value, variant, reason, metadata: { rule, changeNumber, configuration } };
};

const json = (status: number, value: object): Body => ({ status, body: JSON.stringify(value) });

/** Otherwise pages of another origin cannot read it, and load everything again each time. */
const exposed = ['access-control-expose-headers', 'ETag'];

/** The ETag covers the context too: a client that changes it asks again with the old one. */
function unlessKnown({ headers }: IncomingMessage, body: string, context = ''): Body {
  const etag = `"${createHash('sha256').update(context).update('\n').update(body).digest('base64url')}"`;
  const isKnown = headers['if-none-match']?.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag);
  return { ...(isKnown ? { status: 304, body: '' } : { body }), headers: ['etag', etag, ...exposed] };
}
