/**
 * JSON Patch, RFC 6902. Own code, because no maintained library conforms to it (docs/decisions/0008-json-patch.md).
 *
 * Invariants
 * 1. Neither the document nor the operations are changed. The result shares unchanged parts with them: a list or object
 *    is copied before its first change.
 * 2. All or nothing: the first operation that fails refuses the whole patch and is named in the message.
 * 3. Paths reach only own members and existing array indexes: no prototype, no `length`, no `01`.
 * 4. The size and depth of the result are bounded: what copies and moves carry is limited.
 * 5. Time is linear in the size of document and patch: shifted array items are counted and limited.
 */
import { type Static, Type } from 'typebox';
import { equalJson, measure } from './json.ts';
import { Problem } from './problems.ts';
import { OneOf } from './schema.ts';

export const Operation = Type.Object({
  op: OneOf(['add', 'replace', 'remove', 'test', 'move', 'copy']),
  path: Type.String(),
  from: Type.Optional(Type.String()),
  value: Type.Optional(Type.Unknown()),
});
export type Operation = Static<typeof Operation>;

export const maxOperations = 1_000;
export const Patch = Type.Array(Operation, {
  maxItems: maxOperations,
  'x-hint': 'a JSON Patch is a list of operations, for example [{"op":"replace","path":"/<field>","value":"…"}]',
});

export interface PatchOptions {
  /** Which places `path`, or the `from` of a move, may name; others are refused. */
  readonly mayName: RegExp;
  /** The members that these places are in, for the refusal. */
  readonly changeable?: readonly string[];
  /** Appends (`…/-`) that create their list if it is absent. */
  readonly impliedLists?: RegExp;
  /** Translates an operation with a special meaning in this document into a standard one; undefined: no effect. */
  readonly interpret?: (operation: Operation, document: unknown) => Operation | undefined;
}

/**
 * Maximum number of characters that all copies and moves of a patch carry together, and of levels of a place and its
 * value.
 */
const maxCarried = 1_048_576;
const deepest = 64;
/** Maximum number of items that all insertions and removals of a patch shift together. */
const maxShifted = 20_000_000;

/**
 * Applies the operations one after the other and returns a new document, or refuses with `patch_invalid`, naming the
 * first that fails.
 */
export function applyPatch(document: unknown, operations: readonly Operation[], options: PatchOptions): unknown {
  const patching = new Patching(document, options);
  operations.forEach((operation, index) => {
    try {
      patching.apply(operation);
    } catch (refusal) {
      if (!(refusal instanceof Refusal)) throw refusal;
      const changeable = refusal instanceof NotChangeable ? options.changeable : undefined;
      throw new Problem('patch_invalid', { complaints: [`${index}/${refusal.message}`], changeable });
    }
  });
  return patching.result;
}

/** Refuses one operation. The message names its member and the reason. */
export class Refusal extends Error {}

/** Refuses a place that the caller of the patch does not let be named. */
class NotChangeable extends Refusal {}

type Container = Record<string, unknown> | unknown[];

class Patching {
  /** The document is a member of a holder, so that its root is a place like any other. */
  readonly #holder: Record<string, unknown>;
  readonly #options: PatchOptions;
  /** Copies made by this patch, which may be changed in place. */
  readonly #copies = new WeakSet<object>();
  #carried = 0;
  #shifted = 0;

  constructor(document: unknown, options: PatchOptions) {
    this.#holder = { '': document };
    this.#options = options;
  }

  get result(): unknown {
    return this.#holder[''];
  }

  apply(given: Operation): void {
    this.#requireNameable('path', given.path);
    const { interpret } = this.#options;
    const operation = interpret ? interpret(given, this.result) : given;
    if (!operation) return;
    const { op, path } = operation;
    if (op === 'add') this.#add(path, givenValue(operation));
    else if (op === 'remove') this.#remove('path', path);
    else if (op === 'replace') this.#replace(path, givenValue(operation));
    else if (op === 'test') this.#test(path, givenValue(operation));
    else if (op === 'move') this.#move(givenFrom(operation), path);
    else this.#copy(givenFrom(operation), path);
  }

  #add(path: string, value: unknown): void {
    if (this.#options.impliedLists?.test(path)) this.#implyList(path);
    const { parent, key } = this.#writableParentOf('path', path);
    if (!Array.isArray(parent)) parent[key] = value;
    else if (key === '-') parent.push(value);
    else if (isIndex(key) && Number(key) <= parent.length)
      this.#shift('path', parent, Number(key)).splice(Number(key), 0, value);
    else throw nothingAt('path', path);
  }

  #remove(member: 'path' | 'from', path: string): unknown {
    const value = this.#read(member, path);
    const { parent, key } = this.#writableParentOf(member, path);
    if (path === '') throw new Refusal(`${member}: the whole document cannot be removed`);
    if (Array.isArray(parent)) this.#shift(member, parent, Number(key)).splice(Number(key), 1);
    else delete parent[key];
    return value;
  }

  #replace(path: string, value: unknown): void {
    this.#read('path', path);
    const { parent, key } = this.#writableParentOf('path', path);
    (parent as Record<string, unknown>)[key] = value;
  }

  #test(path: string, value: unknown): void {
    if (!equalJson(this.#read('path', path), value))
      throw new Refusal(`value: the test failed, ${path} has another value`);
  }

  #move(from: string, path: string): void {
    this.#requireNameable('from', from);
    if (path.startsWith(`${from}/`)) throw new Refusal('path: a value cannot be moved into itself');
    this.#carry(this.#read('from', from), path);
    this.#add(path, this.#remove('from', from));
  }

  #copy(from: string, path: string): void {
    this.#add(path, JSON.parse(this.#carry(this.#read('from', from), path)));
  }

  /** The value as JSON text, if it may be carried to the path. */
  #carry(value: unknown, path: string): string {
    const text = JSON.stringify(value);
    this.#carried += text.length;
    if (this.#carried > maxCarried) throw new Refusal('from: the patch copies and moves too much');
    if (measure(text).depth + path.split('/').length > deepest)
      throw new Refusal('path: the value would be nested too deep');
    return text;
  }

  /** The list, if its items from the index on may be shifted. */
  #shift(member: 'path' | 'from', list: unknown[], index: number): unknown[] {
    this.#shifted += list.length - index;
    if (this.#shifted > maxShifted) throw new Refusal(`${member}: the patch moves too many items of long lists`);
    return list;
  }

  #implyList(path: string): void {
    const { parent, key } = this.#writableParentOf('path', path.slice(0, -'/-'.length));
    if (!Array.isArray(parent) && !Object.hasOwn(parent, key)) parent[key] = [];
  }

  #requireNameable(member: 'path' | 'from', path: string): void {
    requireSlash(member, path);
    if (!this.#options.mayName.test(path))
      throw new NotChangeable(`${member}: ${path || 'the whole'} cannot be changed by a patch`);
  }

  /** The container of the place, which must exist. */
  #parentOf(member: 'path' | 'from', path: string): { parent: Container; key: string } {
    const tokens = tokensOf(member, path);
    const key = tokens.at(-1) as string;
    let parent: unknown = this.#holder;
    for (const token of tokens.slice(0, -1)) {
      if (!has(parent, token)) throw nothingAt(member, path);
      parent = (parent as Record<string, unknown>)[token];
    }
    if (typeof parent !== 'object' || parent === null) throw nothingAt(member, path);
    return { parent: parent as Container, key };
  }

  /** The same, with every container on the path copied, unless this patch already did. */
  #writableParentOf(member: 'path' | 'from', path: string): { parent: Container; key: string } {
    const { key } = this.#parentOf(member, path);
    let parent: Container = this.#holder;
    for (const token of tokensOf(member, path).slice(0, -1)) {
      const members = parent as Record<string, unknown>;
      members[token] = this.#copied(members[token] as Container);
      parent = members[token] as Container;
    }
    return { parent, key };
  }

  #copied(container: Container): Container {
    if (this.#copies.has(container)) return container;
    const copy = Array.isArray(container) ? [...container] : { ...container };
    this.#copies.add(copy);
    return copy;
  }

  #read(member: 'path' | 'from', path: string): unknown {
    const { parent, key } = this.#parentOf(member, path);
    if (!has(parent, key)) throw nothingAt(member, path);
    return (parent as Record<string, unknown>)[key];
  }
}

/** The most common mistake in a path: `killed` for `/killed`. */
function requireSlash(member: string, path: string): void {
  if (path === '' || path.startsWith('/')) return;
  throw new Refusal(`${member}: a path begins with a slash; did you mean /${path}?`);
}

const nothingAt = (member: string, path: string) => new Refusal(`${member}: there is nothing at ${path}`);

const isIndex = (token: string): boolean => /^(0|[1-9]\d{0,15})$/.test(token);

function has(container: unknown, token: string): boolean {
  if (Array.isArray(container)) return isIndex(token) && Number(token) < container.length;
  return typeof container === 'object' && container !== null && Object.hasOwn(container, token);
}

/** The first token, always '', leads from the holder to the document. */
function tokensOf(member: string, path: string): string[] {
  requireSlash(member, path);
  if (/~(?![01])/.test(path)) throw new Refusal(`${member} must be a JSON Pointer`);
  const tokens = path.split('/', deepest + 1).map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
  if (tokens.length > deepest) throw new Refusal(`${member}: the path is too deep`);
  if (tokens.includes('__proto__')) throw nothingAt(member, path);
  return tokens;
}

function givenValue(operation: Operation): unknown {
  if (operation.value === undefined) throw new Refusal(`value is required for ${operation.op}`);
  return operation.value;
}

function givenFrom(operation: Operation): string {
  if (operation.from === undefined) throw new Refusal(`from is required for ${operation.op}`);
  return operation.from;
}
