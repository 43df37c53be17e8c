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
export function parseAttributes(body: unknown): AttributeSettings[] {
  const tidy = Array.isArray(body) ? body.map(tidied) : body;
  refuse('attribute_invalid', listShape.complaints(tidy));
  const all = listShape.clean(tidy);
  const seen = new Set<string>();
  refuse(
    'attribute_invalid',
    all.flatMap(({ id }, index) => (seen.size === seen.add(id).size ? [`${index}/id ${id} occurs twice`] : [])),
  );
  return all.map(({ id, ...rest }) => withDetails({ id, ...defaults(id) }, rest));
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
