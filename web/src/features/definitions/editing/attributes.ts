/** The attributes that a definition asks for, and what a person typed for them as the value that a program would give. */
import type { Targeting } from '#domain/definitions/definition.ts';
import type { MatcherType } from '#domain/definitions/matchers.ts';
import { instantOf } from '../../../targeting/dates.ts';

export type AttributeKind = 'text' | 'number' | 'date' | 'list' | 'boolean' | 'version';

/** By name, in the order of the rules; of an attribute that is asked for in several ways the first counts. */
export function kindsOfAttributes(
  ...targetings: readonly (Targeting | undefined)[]
): ReadonlyMap<string, AttributeKind> {
  const kinds = new Map<string, AttributeKind>();
  for (const targeting of targetings) {
    for (const { attribute, type } of targeting?.rules.flatMap(({ condition }) => condition.matchers) ?? []) {
      if (attribute && !kinds.has(attribute)) kinds.set(attribute, kindOf(type));
    }
  }
  return kinds;
}

function kindOf(type: MatcherType): AttributeKind {
  if (type.endsWith('_NUMBER')) return 'number';
  if (type.endsWith('_DATE')) return 'date';
  if (type.endsWith('_SET')) return 'list';
  if (type.endsWith('SEMVER')) return 'version';
  return type === 'BOOLEAN' ? 'boolean' : 'text';
}

/** What nobody filled in is not there. */
export const attributesFrom = (
  texts: Readonly<Record<string, string>>,
  kinds: ReadonlyMap<string, AttributeKind>,
): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(texts)
      .filter(([name, text]) => kinds.has(name) && text.trim() !== '')
      .map(([name, text]) => [name, valueFrom(text.trim(), kinds.get(name) ?? 'text')]),
  );

/** What cannot be read as it should stays text: the SDKs say the same about it. */
function valueFrom(text: string, kind: AttributeKind): unknown {
  if (kind === 'number') return Number.isFinite(Number(text)) ? Number(text) : text;
  if (kind === 'date') return /^-?\d+$/.test(text) ? Number(text) : (instantOf(text.replace(' ', 'T')) ?? text);
  if (kind === 'list') return text.split(',').map((item) => item.trim());
  if (kind === 'boolean') return text === 'true' ? true : text === 'false' ? false : text;
  return text;
}
