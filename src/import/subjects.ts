/** Keys and attributes that reach every rule of a flag as SDKs receive it. */

interface WireMatcher {
  readonly matcherType: string;
  readonly keySelector?: { readonly attribute?: string | null } | null;
  readonly whitelistMatcherData?: { readonly whitelist?: readonly string[] | null } | null;
  readonly unaryNumericMatcherData?: { readonly value?: number } | null;
  readonly betweenMatcherData?: { readonly start?: number; readonly end?: number } | null;
  readonly betweenStringMatcherData?: { readonly start?: string; readonly end?: string } | null;
  readonly booleanMatcherData?: boolean | null;
  readonly stringMatcherData?: string | null;
}

/** The part of a flag or a rule-based segment that asks for attributes. Other members do not matter here. */
export interface WireRules {
  readonly conditions?: readonly { readonly matcherGroup?: { readonly matchers?: readonly WireMatcher[] } }[];
}

export interface Chance {
  /** From 0 to below 1. */
  readonly next: () => number;
  readonly oneOf: <Item>(items: readonly Item[]) => Item;
}

/** The same numbers for the same seed (mulberry32), so that a difference can be found again. */
export function chanceOf(seed: number): Chance {
  let state = seed | 0;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  return { next, oneOf: (items) => items[Math.floor(next() * items.length)] as (typeof items)[number] };
}

interface Wanted {
  readonly keys: readonly string[];
  readonly rules: readonly WireRules[];
  readonly count: number;
}

interface Aim {
  readonly attribute: string | undefined;
  /** Values around the matcher's own: some meet it, some do not. The first one usually does. */
  readonly values: readonly unknown[];
}

/** Half of them aim at one condition, the others mix values of all. */
export function* subjectsOf(chance: Chance, { keys, rules, count }: Wanted) {
  const conditions = rules.flatMap((rule) =>
    (rule.conditions ?? []).map(({ matcherGroup }) => (matcherGroup?.matchers ?? []).map(aimAt)),
  );
  const all = conditions.flat();
  const byAttribute = new Map<string, unknown[]>();
  for (const { attribute, values } of all) {
    if (attribute !== undefined) byAttribute.set(attribute, [...(byAttribute.get(attribute) ?? []), ...values]);
  }
  const namedKeys = all.flatMap(({ attribute, values }) =>
    attribute === undefined ? values.filter((value): value is string => typeof value === 'string' && value !== '') : [],
  );
  for (let at = 0; at < count; at += 1) {
    const attributes: Record<string, unknown> = {};
    for (const [attribute, values] of byAttribute) {
      if (chance.next() < 0.6) attributes[attribute] = chance.oneOf(values);
    }
    let key = namedKeys.length > 0 && chance.next() < 0.1 ? chance.oneOf(namedKeys) : chance.oneOf(keys);
    if (conditions.length > 0 && at % 2 === 0) {
      for (const { attribute, values } of conditions[(at / 2) % conditions.length] ?? []) {
        const value = chance.next() < 0.8 ? values[0] : chance.oneOf(values);
        if (attribute !== undefined) attributes[attribute] = value;
        else if (typeof value === 'string' && value !== '') key = value;
      }
    }
    // The official engine hashes half a surrogate pair forever.
    yield { key: key.slice(0, 250).toWellFormed(), attributes };
  }
}

function aimAt(matcher: WireMatcher): Aim {
  return { attribute: matcher.keySelector?.attribute ?? undefined, values: valuesFor(matcher) };
}

function valuesFor(matcher: WireMatcher): unknown[] {
  const { matcherType: type, whitelistMatcherData, unaryNumericMatcherData, betweenMatcherData } = matcher;
  const list = whitelistMatcherData?.whitelist ?? [];
  const some = list.length > 20 ? [...list.slice(0, 10), ...list.slice(-10)] : [...list];
  if (type.endsWith('SET')) return [some, some.slice(0, 1), [...some, 'another'], [], 'text'];
  if (type === 'WHITELIST') return [...some, 'another', 7];
  if (type.startsWith('STARTS')) return [...some.map((text) => `${text}-end`), ...some, 'another'];
  if (type.startsWith('ENDS')) return [...some.map((text) => `start-${text}`), ...some, 'another'];
  if (type.startsWith('CONTAINS')) return [...some.map((text) => `start-${text}-end`), ...some, 'another'];
  if (unaryNumericMatcherData?.value !== undefined) return around(unaryNumericMatcherData.value);
  if (betweenMatcherData) {
    const { start = 0, end = 0 } = betweenMatcherData;
    return [Math.round((start + end) / 2), ...around(start), ...around(end)];
  }
  if (type.endsWith('SEMVER')) {
    const { start = '1.0.0', end = '2.0.0' } = matcher.betweenStringMatcherData ?? {};
    return [matcher.stringMatcherData ?? some[0] ?? start, ...some, start, end, '0.0.1', '99.0.0', 'no version'];
  }
  if (type === 'EQUAL_TO_BOOLEAN') return [matcher.booleanMatcherData, !matcher.booleanMatcherData, 'true', 'maybe'];
  if (type === 'MATCHES_STRING') {
    const pattern = matcher.stringMatcherData ?? '';
    return [pattern.replaceAll(/\\[dw]/g, '1').replaceAll(/[\\^$()|?*+[\]{}]/g, ''), pattern, 'a', 'abc-123'];
  }
  return [];
}

const day = 86_400_000;
/** Dates are compared by the day or the minute. */
const around = (value: number): unknown[] => [
  ...[value, value - 1, value + 1, value - 60_000, value + 60_000, value - day, value + day],
  String(value),
  'text',
];
