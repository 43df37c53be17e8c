/** Definitions of flags: from lists of whole environments, with the seeds that only SDKs or another Burgee know. */
import { takeTurns } from '#concurrency/turns.ts';
import type { Bucketing } from '#domain/bucketing.ts';
import { parseBucketing, parseTargeting } from '#domain/definitions/parse.ts';
import { rulesFromWire, sharesFromWire, withPrerequisites } from '#domain/import/from-wire.ts';
import type { SourceDefinition } from '#domain/import/source.ts';
import { canonicalText, type Members, objectsOf } from '#domain/json.ts';
import { OperatorError } from '#domain/operator.ts';
import { numberIn, objectsIn, readByOffset, textIn } from './lists.ts';
import { type Named, type Reading, v2 } from './reading.ts';
import type { Wire } from './sdk.ts';

/** Whole pages of an environment, instead of a request for each flag. */
export const readDefinitions = (reading: Reading, project: Named, environment: Named): Promise<Members[]> =>
  reading.attempt(
    `Definitions in ${project.name}/${environment.name}`,
    () => readByOffset(reading.api, `${v2}/splits/ws/${project.id}/environments/${environment.id}`, { limit: 50 }),
    [],
  );

/** Another Burgee returns seeds to anyone who may read the flag, flag by flag. */
export async function readSeeded(reading: Reading, project: Named, flags: readonly Members[]): Promise<Members[]> {
  const all = await Promise.all(
    flags.map((flag) => {
      const name = textIn(flag, 'name');
      const path = `${v2}/splits/ws/${project.id}/${encodeURIComponent(name)}`;
      const read = async () => objectsIn((await reading.api.get(path, { expand: 'definitions' })).body, 'definitions');
      return reading.attempt(`Definitions of ${project.name}/${name}`, read, []);
    }),
  );
  return all.flat();
}

interface DefinitionPlace {
  readonly project: Named;
  readonly environment: Named & { readonly wire: Wire | undefined };
  /** The names of flag sets by their ids. */
  readonly setNames: ReadonlyMap<string, string>;
}

/** By the name of the flag. */
export async function toDefinitions(
  reading: Reading,
  items: readonly Members[],
  { project, environment, setNames }: DefinitionPlace,
): Promise<Map<string, SourceDefinition>> {
  const { name, wire } = environment;
  const where = `${project.name}/${name}`;
  if (wire) await requireSameEnvironment(items, wire.flags, where);
  const definitions = new Map<string, SourceDefinition>();
  const turns = takeTurns();
  for (const item of items) {
    const flag = textIn(item, 'name');
    const definition = toDefinition(item, { environment: name, wire: wire?.flags.get(flag), setNames });
    if (definition) definitions.set(flag, definition);
    else reading.leaveOut(`Definition of ${flag} in ${where}`, cannotExpress);
    if (turns.isOver()) await turns.next();
  }
  return definitions;
}

const cannotExpress =
  'It has prerequisites, individual targets and a limited traffic allocation. Burgee has no prerequisites, and cannot say all three with rules.';

interface Found {
  readonly environment: string;
  readonly wire: Members | undefined;
  readonly setNames: ReadonlyMap<string, string>;
}

const bodyMembers = [
  'killed',
  'treatments',
  'defaultTreatment',
  'baselineTreatment',
  'trafficAllocation',
  'rules',
  'defaultRule',
  'impressionsDisabled',
];

/** Undefined if Burgee cannot say the same. */
export function toDefinition(item: Members, { environment, wire, setNames }: Found): SourceDefinition | undefined {
  const flagSets = flagSetsOf(item, { wire, setNames });
  const own = Object.fromEntries(bodyMembers.flatMap((name) => (item[name] === undefined ? [] : [[name, item[name]]])));
  const body = withPrerequisites(wire ? withWire(own, wire) : own, objectsIn(wire ?? item, 'prerequisites'));
  if (!body) return undefined;
  const known = bucketingOf(wire ?? item);
  return {
    environment,
    body: flagSets.length > 0 ? { ...body, flagSets } : body,
    flagSets,
    seeds: known && { seed: known.seed, trafficAllocationSeed: known.trafficAllocationSeed },
    algorithm: known?.algo ?? 2,
    changeNumber: wire ? numberIn(wire, 'changeNumber') : numberInTag(item),
  };
}

/** The vendor's lists may have it; Burgee's ETag begins with it. */
function numberInTag(item: Members): number | undefined {
  const [, digits] = /^"(\d+)-/.exec(textIn(item, 'etag')) ?? [];
  return numberIn(item, 'changeNumber') ?? (digits === undefined ? undefined : Number(digits));
}

/** Undefined, too, if it is nothing that an SDK could use. */
function bucketingOf(source: Members): Bucketing | undefined {
  try {
    return parseBucketing(source);
  } catch {
    return undefined;
  }
}

/** SDKs get the names. Otherwise links have ids, and an id that means nothing is kept, so that the plan names it. */
function flagSetsOf(item: Members, { wire, setNames }: Pick<Found, 'wire' | 'setNames'>): string[] {
  if (Array.isArray(wire?.sets)) return wire.sets.filter((set) => typeof set === 'string');
  return objectsIn(item, 'flagSets').map((link) => {
    const id = textIn(link, 'id');
    return setNames.get(id) ?? (textIn(link, 'name') || id);
  });
}

/** The body with the shares in the order that SDKs use, which decides who gets what, and with rules that Burgee knows. */
function withWire(own: Members, wire: Members): Members {
  const [shares, rules] = [sharesFromWire(wire), objectsIn(own, 'rules')];
  const ordered = {
    ...own,
    ...(Array.isArray(own.rules)
      ? { rules: rules.map((rule, index) => ({ ...rule, buckets: inOrder(rule.buckets, shares[index]) })) }
      : {}),
    defaultRule: inOrder(own.defaultRule, shares.at(-1)),
  };
  if (isAccepted(ordered)) return ordered;
  const known = rulesFromWire(wire);
  return known && isAccepted({ ...ordered, rules: known }) ? { ...ordered, rules: known } : ordered;
}

/** Only if they are the same shares: the definition may have changed between the two requests. */
function inOrder(buckets: unknown, wanted: readonly Members[] | undefined): unknown {
  const own = objectsOf(buckets).filter(({ size }) => size !== 0);
  return wanted && sorted(own) === sorted(wanted) ? wanted : buckets;
}

const sorted = (shares: readonly Members[]): string =>
  shares
    .map(({ treatment, size }) => canonicalText({ treatment, size }))
    .sort()
    .join();

function isAccepted(body: Members): boolean {
  try {
    parseTargeting(body);
    return true;
  } catch {
    return false;
  }
}

/**
 * A key of another environment would bring its seeds, and move keys between treatments without anyone noticing. Flags of
 * the right one are as they are in the list, except those that changed in between.
 */
async function requireSameEnvironment(
  items: readonly Members[],
  flags: ReadonlyMap<string, Members>,
  where: string,
): Promise<void> {
  let same = 0;
  const turns = takeTurns();
  for (const item of items) {
    const wire = flags.get(textIn(item, 'name'));
    if (wire && outlineOf(item, item.defaultRule) === outlineOf(wire, sharesFromWire(wire).at(-1))) same += 1;
    if (turns.isOver()) await turns.next();
  }
  if (same < items.length / 2) {
    throw new OperatorError(
      `The SDK key for ${where} seems to belong to another environment: only ${same} of ${items.length} definitions are as SDKs get them`,
    );
  }
}

const outlineOf = ({ killed, defaultTreatment, trafficAllocation = 100 }: Members, shares: unknown): string =>
  canonicalText({
    killed: killed === true,
    defaultTreatment,
    trafficAllocation,
    shares: sorted(objectsOf(shares).filter(({ size }) => size !== 0)),
  });
