/**
 * Replies to `splitChanges`, concatenated from the stored texts of flags. Each is built and compressed once, off the main
 * thread, and kept while there is room. A new snapshot starts without any.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { turnstile } from '#concurrency/turnstile.ts';
import { archivedFlag, type Spec } from '#domain/wire/flags.ts';
import type { FlagEntry, RuleBasedEntry } from './environment.ts';
import { entriesAfter } from './in-order.ts';

export type Encoding = 'br' | 'gzip';

export interface Encoded {
  /** Text if it is short: Node sends it together with the headers, in one piece. */
  readonly body: Buffer | string;
  readonly encoding: Encoding | undefined;
}

export interface ChangesQuery {
  /** Names everything below except `isRestored`: equal queries have equal texts. */
  readonly text: string;
  readonly spec: Spec;
  /** The number that the SDK knows; -1: none. */
  readonly since: number;
  readonly rbSince: number;
  readonly filter: FlagFilter | undefined;
  /** Whether an SDK that knows more than there is gets everything: then the database was restored. */
  readonly isRestored: boolean;
}

export interface FlagFilter {
  /** Equal filters have equal texts. */
  readonly text: string;
  readonly has: (flag: FlagEntry) => boolean;
  /** Whether a flag can leave what the filter selects: by sets it can, by name it cannot. */
  readonly canLeave: boolean;
}

export interface Bodies {
  /** The reply in an encoding that is accepted, or plain if that is not worth it. */
  of(query: ChangesQuery, accepted: () => Encoding | undefined): Encoded | Promise<Encoded>;
}

export interface BodySource {
  /** In order of number. */
  readonly flags: readonly FlagEntry[];
  readonly flagsNumber: number;
  readonly ruleBased: readonly RuleBasedEntry[];
  readonly ruleBasedNumber: number;
}

/** Of all kept bodies. The newest is kept even if it is larger. */
const maxBytes = 32 * 1_048_576;
/** Below this, compression does not pay. */
const smallest = 1_024;
/** Any SDK key can ask with any number: this many different replies are kept. */
const maxKept = 200;
/** Replies are large, and compressing one takes a thread. */
const making = turnstile(2);
const brotliOptions = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };
const compressors: Record<Encoding, (bytes: Buffer) => Promise<Buffer>> = {
  br: (bytes) => promisify(brotliCompress)(bytes, brotliOptions),
  gzip: (bytes) => promisify(gzip)(bytes),
};

export function createBodies(source: BodySource): Bodies {
  const { flagsNumber, ruleBasedNumber } = source;
  const kept = new Map<string, Body>();
  let lastUsed: string | undefined;
  const nothingNew = {
    withSegments: plain(toText({ source, spec: '1.3', since: flagsNumber, rbSince: ruleBasedNumber })),
    without: plain(toText({ source, spec: '1.2', since: flagsNumber, rbSince: -1 })),
  };
  const forget = () => {
    let bytes = 0;
    let count = 0;
    for (const [name, body] of [...kept].reverse()) {
      bytes += body.size;
      count += 1;
      if (count > maxKept || (bytes > maxBytes && count > 1)) kept.delete(name);
    }
  };
  return {
    of: (query, accepted) => {
      const { spec, since, rbSince } = query;
      if (since === flagsNumber) {
        if (spec !== '1.3') return nothingNew.without;
        if (rbSince === ruleBasedNumber) return nothingNew.withSegments;
      }
      const name = query.isRestored ? `restored ${query.text}` : query.text;
      const body = kept.get(name) ?? new Body(() => toBody(source, query));
      // The last one used is the last to be forgotten.
      if (name !== lastUsed) {
        kept.delete(name);
        kept.set(name, body);
        lastUsed = name;
      }
      return body.in(accepted(), forget);
    },
  };
}

const plain = (body: string): Encoded => ({ body, encoding: undefined });

/** A reply without flags. */
const toText = ({ source, ...query }: Pick<ChangesQuery, 'spec' | 'since' | 'rbSince'> & { source: BodySource }) =>
  Buffer.concat(
    piecesOf({ ...source, flags: [], ruleBased: [] }, { ...query, text: '', filter: undefined, isRestored: false }),
  ).toString();

const toBody = (source: BodySource, query: ChangesQuery): Promise<Buffer> => joined(piecesOf(source, query));

function piecesOf(source: BodySource, query: ChangesQuery): Buffer[] {
  const { spec, since, rbSince, isRestored } = query;
  const flags = between(flagTexts(source, query));
  const till = Math.max(since, source.flagsNumber);
  if (spec !== '1.3') return [text('{"splits":['), ...flags, text(`],"since":${since},"till":${till}}`)];
  const segments = between(
    changed(source.ruleBased, { since: rbSince, number: source.ruleBasedNumber, isRestored }).map(({ text }) => text),
  );
  const rbTill = Math.max(rbSince, source.ruleBasedNumber);
  return [
    text('{"ff":{"d":['),
    ...flags,
    text(`],"s":${since},"t":${till}},"rbs":{"d":[`),
    ...segments,
    text(`],"s":${rbSince},"t":${rbTill}}}`),
  ];
}

const text = (value: string): Buffer => Buffer.from(value);
const comma = text(',');
const between = (texts: readonly Buffer[]): Buffer[] =>
  texts.flatMap((one, index) => (index === 0 ? [one] : [comma, one]));

function flagTexts({ flags, flagsNumber }: BodySource, { spec, since, filter, isRestored }: ChangesQuery): Buffer[] {
  const isDelta = since >= 0 && since <= flagsNumber;
  return changed(flags, { since, number: flagsNumber, isRestored }).flatMap((flag) => {
    if (!filter || filter.has(flag)) return [textFor(flag, spec, since)];
    // It may have left the sets with this change: the SDK must forget it.
    return isDelta && filter.canLeave ? [text(JSON.stringify(archivedFlag(flag.name, flag.number)))] : [];
  });
}

/**
 * JavaScript SDKs that know 1.3 ask for 1.2 for a day after a request that failed, and still have the rule-based
 * segments: they must not answer control because a server was restarted. An SDK that knows only 1.2 answers control by
 * itself.
 */
const textFor = ({ text: newest, olderTexts }: FlagEntry, spec: Spec, since: number): Buffer =>
  spec === '1.2' && since >= 0 ? newest : (olderTexts.get(spec) ?? newest);

/**
 * What changed after `since`. An SDK that knows nothing gets everything that exists; so does one that knows more than
 * there is, if the database was restored. If this node is behind, such an SDK must keep what it has.
 */
function changed<Entry extends { readonly number: number; readonly isArchived: boolean }>(
  entries: readonly Entry[],
  { since, number, isRestored }: { since: number; number: number; isRestored: boolean },
): readonly Entry[] {
  if (since < 0 || (since > number && isRestored)) return entries.filter(({ isArchived }) => !isArchived);
  return since > number ? [] : entriesAfter(entries, since);
}

/** Bytes to copy before other work gets a turn. */
const copiedAtOnce = 4 * 1_048_576;

async function joined(pieces: readonly Buffer[]): Promise<Buffer> {
  const all = Buffer.allocUnsafe(pieces.reduce((sum, { length }) => sum + length, 0));
  let end = 0;
  let copied = 0;
  for (const piece of pieces) {
    end += piece.copy(all, end);
    if (end - copied < copiedAtOnce) continue;
    copied = end;
    await nextTurn();
  }
  return all;
}

/** A reply in the encodings that were asked for. */
class Body {
  readonly #make: () => Promise<Buffer>;
  readonly #made = new Map<Encoding | undefined, Encoded | Promise<Encoded>>();
  size = 0;

  constructor(make: () => Promise<Buffer>) {
    this.#make = make;
  }

  in(encoding: Encoding | undefined, grown: () => void): Encoded | Promise<Encoded> {
    const made = this.#made.get(encoding);
    if (made !== undefined) return made;
    const soon = making
      .pass(() => this.#encode(encoding))
      .then(
        (encoded) => {
          this.size += encoded.body.length;
          this.#made.set(encoding, encoded);
          grown();
          return encoded;
        },
        (error: unknown) => {
          this.#made.delete(encoding);
          throw error;
        },
      );
    this.#made.set(encoding, soon);
    return soon;
  }

  async #encode(encoding: Encoding | undefined): Promise<Encoded> {
    const bytes = await this.#make();
    if (encoding === undefined || bytes.length < smallest)
      return { body: bytes.length < smallest ? bytes.toString() : bytes, encoding: undefined };
    return { body: await compressors[encoding](bytes), encoding };
  }
}
