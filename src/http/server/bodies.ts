/** Reads bodies as real clients send them: JSON whatever the content type, or no body at all. */

import type { FastifyInstance, FastifyRequest } from 'fastify';
import { parse } from 'secure-json-parse';
import { countMembers, measure } from '#domain/json.ts';
import { Problem } from '#domain/problems.ts';

/** Deeper than any body of ours by far, shallow enough that no walk through it can exhaust the stack. */
const deepest = 64;
/** Far more than any object of ours has; objects with very many members are slow to make and to walk through. */
const widest = 200;

const decoder = new TextDecoder('utf-8', { fatal: true });

/** A body as it came. It is read only where the endpoint wants one. */
class RawBody {
  readonly bytes: Buffer;
  /** As its header says; compressed bodies are not read. */
  readonly isEncoded: boolean;

  constructor(bytes: Buffer, isEncoded: boolean) {
    this.bytes = bytes;
    this.isEncoded = isEncoded;
  }
}

/** Reads bodies as bytes, whatever their content type. */
export function readBodies(app: FastifyInstance): void {
  app.addHook('onRequest', async ({ headers }) => {
    // Fastify refuses a header that is no content type at all.
    if (headers['content-type'] !== undefined) headers['content-type'] = 'application/json';
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, async ({ headers }: FastifyRequest, body: Buffer) =>
    body.length === 0 ? undefined : new RawBody(body, (headers['content-encoding'] ?? 'identity') !== 'identity'),
  );
}

/** Bodies of the scope's routes over this limit are refused, instead of those over the server's limit. */
export const limitBodies = (scope: FastifyInstance, bodyLimit: number): void =>
  void scope.addHook('onRoute', (route) => {
    route.bodyLimit = bodyLimit;
  });

/** The JSON value of a body, or `json_invalid`. */
export function parseJson(body: unknown): unknown {
  if (!(body instanceof RawBody)) return undefined;
  const text = decode(body);
  const { depth, members, widestObject } = measure(text);
  if (depth > deepest) throw notValid(`it is nested deeper than ${deepest} levels`);
  if (widestObject > widest) throw notValid(`an object in it has more than ${widest} members`);
  const value = parseText(text);
  // Of two members with one name readers take this or that: what one of them checked, another might not see.
  if (countMembers(value) < members) throw notValid('an object in it has two members with the same name');
  // Only escapes can bring in what no database keeps, so most bodies need no second look.
  if (/\\u(0000|d[89a-f])/i.test(text)) requireStorable(value);
  return value;
}

/** For requests that need no body: clients send odd ones along, which must not matter. */
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

/** The parser shows the place by quoting the body, which may hold a password. */
const withoutQuote = (message: string): string => message.replace(/,? ?(?:\.{3})?".*$/s, '') || 'it is something else';

/** Text with NUL or half a surrogate pair would not come back as it went in. */
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

/** The text that a body is: a JSON string, or else the body as it stands. */
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
