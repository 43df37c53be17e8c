/** What is known about the attributes of a traffic type. Rules may use attributes that are not declared. */
import { type Static, Type } from 'typebox';
import { mapMembers } from './json.ts';
import { refuse } from './problems.ts';
import { Nullable, patterns, toBoolean } from './schema.ts';
import { shapeOf } from './shapes.ts';

export const dataTypes = ['STRING', 'DATETIME', 'NUMBER', 'SET'] as const;
type DataType = (typeof dataTypes)[number];

/** Per traffic type, so that the list without pages stays small. Also the most that one call can save. */
export const maxAttributes = 1_000;

export interface Attribute {
  readonly id: string;
  readonly trafficTypeId: string;
  readonly displayName: string;
  readonly description: string;
  readonly dataType: DataType | null;
  readonly isSearchable: boolean;
  readonly suggestedValues: readonly string[];
}

const AttributeId = Type.String({ pattern: patterns.trafficTypeName, maxLength: 200 });

const details = {
  displayName: Type.Optional(
    Nullable(Type.String({ pattern: patterns.tag, maxLength: 200, description: 'default: the id' })),
  ),
  description: Type.Optional(Nullable(Type.String({ maxLength: 500 }))),
  dataType: Type.Optional(
    Type.Unsafe<DataType | null>({ enum: [...dataTypes, null], description: 'in upper or lower case, or null' }),
  ),
  isSearchable: Type.Optional(
    Type.Unsafe<boolean | 'true' | 'false' | null>({ enum: [true, false, 'true', 'false', null] }),
  ),
  suggestedValues: Type.Optional(
    Nullable(
      Type.Array(Type.String({ minLength: 1, maxLength: 50 }), {
        maxItems: 50,
        description: 'offered where a rule needs a value of the attribute',
      }),
    ),
  ),
};

/** A whole attribute: what is left out or null gets its default. */
export const AttributeBody = Type.Object({ id: AttributeId, ...details });
/** A change: what is left out stays, what is null gets its default. */
export const AttributePatch = Type.Object(details);
type AttributePatch = Static<typeof AttributePatch>;

export const AttributeList = Type.Array(AttributeBody, { minItems: 1, maxItems: maxAttributes });

export const AttributeReply = Type.Object({
  id: Type.String(),
  organizationId: Type.String(),
  trafficTypeId: Type.String(),
  displayName: Type.String(),
  description: Type.String(),
  dataType: Type.Unsafe<DataType | null>({ type: ['string', 'null'] }),
  isSearchable: Type.Boolean(),
  suggestedValues: Type.Array(Type.String()),
});
export type AttributeReply = Static<typeof AttributeReply>;

export const toAttributeReply = (attribute: Attribute, organizationId: string): AttributeReply => ({
  id: attribute.id,
  organizationId,
  trafficTypeId: attribute.trafficTypeId,
  displayName: attribute.displayName,
  description: attribute.description,
  dataType: attribute.dataType,
  isSearchable: attribute.isSearchable,
  suggestedValues: [...attribute.suggestedValues],
});

/** An attribute without the traffic type, which the path names. */
export type AttributeSettings = Omit<Attribute, 'trafficTypeId'>;

const bodyShape = shapeOf(AttributeBody);
const patchShape = shapeOf(AttributePatch);
const listShape = shapeOf(AttributeList);

export function parseAttribute(body: unknown): AttributeSettings {
  const tidy = tidied(body);
  refuse('attribute_invalid', bodyShape.complaints(tidy));
  const { id, ...rest } = bodyShape.clean(tidy);
  return withDetails({ id, ...defaults(id) }, rest);
}

/** Each of them, with its place in complaints. Ids may occur once. */
export function parseAttributes(body: unknown, placed: (complaint: string) => string = (same) => same) {
  const tidy = Array.isArray(body) ? body.map(tidied) : body;
  const refuseAll = (complaints: readonly string[]) => refuse('attribute_invalid', complaints.map(placed));
  refuseAll(listShape.complaints(tidy));
  const all = listShape.clean(tidy);
  const seen = new Set<string>();
  refuseAll(
    all.flatMap(({ id }, index) => (seen.size === seen.add(id).size ? [`${index}/id ${id} occurs twice`] : [])),
  );
  return all.map(({ id, ...rest }): AttributeSettings => withDetails({ id, ...defaults(id) }, rest));
}

/**
 * The attributes of a CSV file: id, display name, description, data type, suggested values. The values are separated by
 * commas in one quoted cell, or have a cell each. A first row whose first cell is `id` is a header. Complaints name the
 * row of the file, the header included.
 */
export function parseAttributeFile(text: string): AttributeSettings[] {
  const rows = rowsOf(text.replace(/^\ufeff/, ''));
  const hasHeader = rows[0]?.cells[0]?.trim().toLowerCase() === 'id';
  const used = hasHeader ? rows.slice(1) : rows;
  const bodies = used.map(({ cells: [id = '', displayName = '', description = '', dataType = '', ...values] }) => ({
    id: id.trim(),
    displayName: displayName.trim(),
    description: description.trim(),
    dataType: dataType.trim(),
    suggestedValues: values
      .join(',')
      .split(',')
      .map((value) => value.trim())
      .filter(Boolean),
  }));
  return parseAttributes(bodies, (complaint) =>
    complaint
      .replace(/^body must not have (more|fewer) than (\d+) items/, 'file must not have $1 than $2 rows')
      .replace(/^(\d+)\//, (_, index: string) => `row ${used[Number(index)]?.row}: `),
  );
}

interface Row {
  /** Counted from 1; a cell in quotes may have several lines. */
  readonly row: number;
  readonly cells: readonly string[];
}

/** More rows are refused anyway. Blank lines and cells are limited too: 1 MB of commas would block other requests. */
const maxRows = maxAttributes + 2;
const maxLines = 5_000;
const maxCells = 60;
const maxCellLength = 10_000;

/** A cell, in quotes or not, and what ends it. */
const cell = /(?:[ \t]*"([^"]*(?:""[^"]*)*)"[ \t]*|((?![ \t]*")[^,\n]*))(,|\r?\n|$)/y;

/** The rows of a CSV file (RFC 4180) that are not blank. Own code, since the domain has no packages for it. */
function rowsOf(text: string): Row[] {
  const rows: Row[] = [];
  let at = 0;
  for (let row = 1; at < text.length && rows.length < maxRows; row += 1) {
    if (row > maxLines) refuse('attribute_invalid', [`file must not have more than ${maxLines} lines`]);
    const end = text.indexOf('\n', at);
    const line = text.slice(at, end < 0 ? undefined : end);
    // Most lines have no quotes, and splitting them takes a tenth of the time.
    const plain = line.includes('"') ? undefined : line.split(',', maxCells + 1);
    const { cells, length } = plain ? { cells: plain, length: line.length + 1 } : quotedCells(text, at, row);
    if (cells.length > maxCells) refuse('attribute_invalid', [`row ${row}: must not have more than ${maxCells} cells`]);
    if (cells.some((one) => one.trim() !== '')) rows.push({ row, cells });
    at += length;
  }
  return rows;
}

/** The cells of the row that begins there, and its length with its end. */
function quotedCells(text: string, start: number, row: number): { cells: string[]; length: number } {
  const cells: string[] = [];
  cell.lastIndex = start;
  for (let end = ','; end === ',' && cells.length <= maxCells; ) {
    const found = cell.exec(text);
    if (!found) refuse('attribute_invalid', [`row ${row}: a quote is not closed, or text follows it`]);
    const [, quoted, plain = ''] = found ?? [];
    if (quoted && quoted.length > maxCellLength) {
      refuse('attribute_invalid', [`row ${row}: a cell must not have more than ${maxCellLength} characters`]);
    }
    cells.push(quoted?.replaceAll('""', '"') ?? plain);
    end = found?.[3] ?? '';
  }
  return { cells, length: Math.max(cell.lastIndex - start, 1) };
}

/** The attribute after the change. Its id stays. */
export function applyAttributePatch(attribute: AttributeSettings, body: unknown): AttributeSettings {
  const tidy = tidied(body);
  refuse('attribute_invalid', patchShape.complaints(tidy));
  return withDetails(attribute, patchShape.clean(tidy));
}

const defaults = (id: string) => ({
  displayName: id,
  description: '',
  dataType: null,
  isSearchable: false,
  suggestedValues: [],
});

function withDetails(attribute: AttributeSettings, patch: AttributePatch): AttributeSettings {
  const initial = defaults(attribute.id);
  const { displayName, description, dataType, isSearchable, suggestedValues } = { ...attribute, ...patch };
  return {
    id: attribute.id,
    displayName: displayName || initial.displayName,
    description: description ?? initial.description,
    dataType: dataType ?? initial.dataType,
    isSearchable: isSearchable === null ? initial.isSearchable : toBoolean(isSearchable),
    suggestedValues: [...new Set(suggestedValues ?? initial.suggestedValues)],
  };
}

/** Clients send the data type in any case, and an empty one for none. */
const tidied = (body: unknown): unknown =>
  typeof body !== 'object' || body === null || Array.isArray(body)
    ? body
    : mapMembers(body as Record<string, unknown>, (member, name) =>
        name === 'dataType' && typeof member === 'string' ? member.toUpperCase() || null : member,
      );
