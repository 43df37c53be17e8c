/** Parses bodies as clients send them: JSON whatever the content type, or no body at all. */

import type { IncomingHttpHeaders } from 'node:http';
import { Socket } from 'node:net';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { parse } from 'secure-json-parse';
import { SentForm, type StreamedBody } from '#contract/endpoint.ts';
import { countMembers, measure } from '#domain/json.ts';
import { Problem } from '#domain/problems.ts';

/** Far deeper than any valid body, but shallow enough for recursive code. */
const deepest = 64;
/** Far more than any valid object has; objects with very many members are slow. */
const widest = 200;

const decoder = new TextDecoder('utf-8', { fatal: true });

/** An unparsed body. It is parsed only if the endpoint needs it. */
class RawBody {
  readonly bytes: Buffer;
  /** According to Content-Encoding; compressed bodies are refused. */
  readonly isEncoded: boolean;

  constructor(bytes: Buffer, isEncoded: boolean) {
    this.bytes = bytes;
    this.isEncoded = isEncoded;
  }
}

/** If not, Node emits no events of one (`optimizeEmptyRequests` in `listen.ts`). */
const hasBody = (headers: IncomingHttpHeaders): boolean =>
  headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;

/** Reads bodies as bytes, whatever their content type. */
export function readBodies(app: FastifyInstance): void {
  app.addHook('onRequest', async ({ headers }) => {
    // Fastify would wait for a body of this type, and refuses malformed types.
    if (!hasBody(headers)) delete headers['content-type'];
    else if (headers['content-type'] !== undefined) headers['content-type'] = 'application/json';
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, async ({ headers }: FastifyRequest, body: Buffer) =>
    body.length === 0 ? undefined : new RawBody(body, (headers['content-encoding'] ?? 'identity') !== 'identity'),
  );
}

/** Passes the bodies of the scope's routes on as they arrive, whatever their size. The handler sets a limit. */
export function streamBodies(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser('*', ({ headers, socket }, chunks, done) => {
    const length = Number(headers['content-length'] ?? Number.NaN);
    // A client that waits for its answer sends nothing; the connection must not count as idle.
    chunks.once('end', () => socket instanceof Socket && socket.setTimeout(0));
    done(null, { chunks, size: Number.isNaN(length) ? undefined : length } satisfies StreamedBody);
  });
}

/** Sets the limit of the scope's routes instead of the server's. */
export const limitBodies = (scope: FastifyInstance, bodyLimit: number): void =>
  void scope.addHook('onRoute', (route) => {
    route.bodyLimit = bodyLimit;
  });

/** Parses JSON, or refuses with `json_invalid`. */
export function parseJson(body: unknown): unknown {
  if (!(body instanceof RawBody)) return undefined;
  const text = decode(body);
  const { depth, members, widestObject } = measure(text);
  if (depth > deepest) throw notValid(`it is nested deeper than ${deepest} levels`);
  if (widestObject > widest) throw notValid(`an object in it has more than ${widest} members`);
  const value = parseText(text);
  // Parsers differ in which of two members with the same name they keep, so one could bypass a check.
  if (countMembers(value) < members) throw notValid('an object in it has two members with the same name');
  // Only escapes can produce characters that databases cannot store, so most bodies need no second pass.
  if (/\\u(0000|d[89a-f])/i.test(text)) requireStorable(value);
  return value;
}

/**
 * A form with a file (`multipart/form-data`), or undefined if the body does not start with a boundary. Node's own
 * parser reads 3 MB in 10 ms.
 */
export async function parseForm(body: unknown): Promise<SentForm | undefined> {
  if (!(body instanceof RawBody)) return undefined;
  const [, boundary] = /^--([^\r\n"]+)\r\n/.exec(body.bytes.subarray(0, 200).toString('latin1')) ?? [];
  if (boundary === undefined) return undefined;
  const type = `multipart/form-data; boundary="${boundary}"`;
  const form = await new Response(new Uint8Array(body.bytes), { headers: { 'content-type': type } })
    .formData()
    .catch(() => {
      throw notValid('it is a form that cannot be read');
    });
  const file = form.get('file');
  if (!(file instanceof File)) throw notValid('it is a form without a part "file" that has a file name');
  const text = decode(new RawBody(Buffer.from(await file.arrayBuffer()), false));
  const parts = Object.fromEntries([...form].filter((part): part is [string, string] => typeof part[1] === 'string'));
  for (const part of [text, file.name, ...Object.values(parts)]) requireStorable(part);
  return new SentForm({ name: file.name, text }, parts);
}

/** For requests that need no body: clients send odd ones, which must not matter. */
export function parseJsonOrNothing(body: unknown): unknown {
  try {
    return parseJson(body);
  } catch {
    return undefined;
  }
}

function parseText(text: string): unknown {
  try {
    return parse(text, undefined, { protoAction: 'error', constructorAction: 'error' }) as unknown;
  } catch (error) {
    throw notValid(isForm(text) ? 'it is a form; send JSON' : withoutQuote((error as Error).message));
  }
}

/** As `curl -d name=value`, `curl -F` and HTML forms send it. */
const isForm = (text: string): boolean =>
  /^[\w.%+[\]-]+=[^{["]*$/.test(text) || /^--\S+\r?\ncontent-disposition: form-data/i.test(text);

/** The parser quotes the body in its message, which may contain a password. */
const withoutQuote = (message: string): string => message.replace(/,? ?(?:\.{3})?".*$/s, '') || 'it is something else';

/** NUL and lone surrogates cannot be stored and read back unchanged. */
function requireStorable(value: unknown): void {
  if (typeof value === 'string') {
    if (value.includes('\0') || !value.isWellFormed()) {
      throw notValid('a text in it contains NUL or half a surrogate pair');
    }
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, member] of Object.entries(value)) {
      requireStorable(name);
      requireStorable(member);
    }
  }
}

/** A body as text: the value of a JSON string, or else the raw body. */
export function textOf(body: unknown): string {
  if (!(body instanceof RawBody)) return '';
  const sent = decode(body);
  const text = jsonStringOf(sent) ?? sent;
  requireStorable(text);
  return text;
}

function jsonStringOf(text: string): string | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'string' ? value : undefined;
  } catch {
    return undefined;
  }
}

function decode({ bytes, isEncoded }: RawBody): string {
  try {
    return decoder.decode(bytes);
  } catch {
    throw notValid(isEncoded ? 'it is compressed; send it without Content-Encoding' : 'it is not UTF-8');
  }
}

const notValid = (reason: string): Problem => new Problem('json_invalid', { reason });
