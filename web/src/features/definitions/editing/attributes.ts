/** The attributes a definition uses, and typed text as the value a program would pass. */
import type { Matcher, MatcherType } from '#domain/definitions/matchers.ts';
import { instantOf } from '../../../targeting/dates.ts';

export type AttributeKind = 'text' | 'number' | 'date' | 'list' | 'boolean' | 'version';

export interface HasRules {
  readonly rules: readonly { readonly condition: { readonly matchers: readonly Matcher[] } }[];
}

/** By name, in rule order. If rules use an attribute in several ways, the first counts. */
export function kindsOfAttributes(...sources: readonly (HasRules | undefined)[]): ReadonlyMap<string, AttributeKind> {
  const kinds = new Map<string, AttributeKind>();
  for (const source of sources) {
    for (const { attribute, type } of source?.rules.flatMap(({ condition }) => condition.matchers) ?? []) {
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

/** Leaves out empty fields. */
export const attributesFrom = (
  texts: Readonly<Record<string, string>>,
  kinds: ReadonlyMap<string, AttributeKind>,
): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(texts)
      .filter(([name, text]) => kinds.has(name) && text.trim() !== '')
      .map(([name, text]) => [name, valueFrom(text.trim(), kinds.get(name) ?? 'text')]),
  );

/** Unparsable values stay strings, as the SDKs treat them. */
function valueFrom(text: string, kind: AttributeKind): unknown {
  if (kind === 'number') return Number.isFinite(Number(text)) ? Number(text) : text;
  if (kind === 'date') return /^-?\d+$/.test(text) ? Number(text) : (instantOf(text.replace(' ', 'T')) ?? text);
  if (kind === 'list') return text.split(',').map((item) => item.trim());
  if (kind === 'boolean') return text === 'true' ? true : text === 'false' ? false : text;
  return text;
}
