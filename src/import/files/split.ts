/**
 * Files of Split that people have: lists of the Admin API as community tools save them (flags, definitions, or both),
 * and what `splitChanges` answers, which has the seeds. Neither names its project.
 */
import { parseBucketing } from '#domain/definitions/parse.ts';
import { targetingFromWire, withPrerequisites } from '#domain/import/from-wire.ts';
import type { SourceAccount, SourceDefinition, SourceFlag, Unread } from '#domain/import/source.ts';
import { isObject, type Members } from '#domain/json.ts';
import { OperatorError } from '#domain/operator.ts';
import { toDefinition } from '../split/definitions.ts';
import { itemsIn, memberIn, numberIn, objectsIn, tagsIn, textIn } from '../split/lists.ts';

interface Place {
  readonly project: string;
  /** Only definitions of the Admin API say which one they are in. */
  readonly environment: string | undefined;
}

export const isSplit = (document: unknown): boolean => wireIn(document).length > 0 || adminIn(document).length > 0;

export function readSplit(document: unknown, { project, environment }: Place): SourceAccount {
  const unread: Unread[] = [];
  const wire = wireIn(document);
  const flags =
    wire.length > 0
      ? flagsFromWire(wire, required(environment), unread)
      : flagsFromAdmin(adminIn(document), environment, unread);
  const definitions = flags.flatMap((flag) => flag.definitions);
  return {
    name: 'Split',
    projects: [
      {
        name: project,
        requiresTitleAndComments: false,
        environments: [...Map.groupBy(definitions, (one) => one.environment)].map(([name, own]) => ({
          name,
          production: /^prod/i.test(name),
          hasSeeds: own.every(({ seeds }) => seeds !== undefined),
        })),
        trafficTypes: [...new Set(flags.map(({ trafficType }) => trafficType))].map((name) => ({
          name,
          displayAttributeId: undefined,
          attributes: [],
        })),
        rolloutStatuses: [],
        flagSets: [...new Set(definitions.flatMap(({ flagSets }) => flagSets))].map((name) => ({
          name,
          description: '',
        })),
        flags,
        segments: [],
      },
    ],
    groups: [],
    users: [],
    unread,
  };
}

function required(environment: string | undefined): string {
  if (environment === undefined) throw new OperatorError('The file does not say which environment its flags are of');
  return environment;
}

/** In the answer of spec 1.3, or of an older one. */
const wireIn = (document: unknown): Members[] =>
  [...objectsIn(memberIn(document, 'ff'), 'd'), ...objectsIn(document, 'splits')].filter(({ conditions }) =>
    Array.isArray(conditions),
  );

/** In any list of the file, whatever it is called: what has treatments is a definition, what has a traffic type a flag. */
const adminIn = (document: unknown): Members[] =>
  (isObject(document) ? Object.values(document) : [document])
    .flatMap(itemsIn)
    .filter((item) => textIn(item, 'name') !== '' && (isDefinition(item) || item.trafficType !== undefined));

const isDefinition = (item: Members): boolean => Array.isArray(item.treatments) && Array.isArray(item.defaultRule);

function flagsFromWire(items: readonly Members[], environment: string, unread: Unread[]): SourceFlag[] {
  return items
    .filter(({ status }) => status !== 'ARCHIVED')
    .map((item) => {
      const definition = seededDefinition(item, environment);
      return {
        ...toFlag(item),
        definitions: definition ? [definition] : leaveOut(unread, textIn(item, 'name'), environment),
      };
    });
}

function leaveOut(unread: Unread[], flag: string, environment: string): [] {
  const why = 'Left out: it has rules or prerequisites that Burgee cannot express.';
  unread.push({ what: `Definition of ${flag} in ${environment}`, why });
  return [];
}

function seededDefinition(item: Members, environment: string): SourceDefinition | undefined {
  const known = targetingFromWire(item);
  const body = known && withPrerequisites(known, objectsIn(item, 'prerequisites'));
  if (!body) return undefined;
  const { algo = 2, ...seeds } = parseBucketing(item) ?? {};
  const flagSets = Array.isArray(item.sets) ? item.sets.filter((set) => typeof set === 'string') : [];
  return {
    environment,
    body: flagSets.length > 0 ? { ...body, flagSets } : body,
    flagSets,
    seeds: 'seed' in seeds ? seeds : undefined,
    algorithm: algo,
    changeNumber: numberIn(item, 'changeNumber'),
  };
}

function flagsFromAdmin(items: readonly Members[], environment: string | undefined, unread: Unread[]): SourceFlag[] {
  const byName = Map.groupBy(items, (item) => textIn(item, 'name'));
  return [...byName.values()].map((own) => {
    const [first] = own.toSorted((one, other) => Number(isDefinition(one)) - Number(isDefinition(other)));
    const definitions = own.filter(isDefinition).flatMap((item) => {
      const named = textIn(item.environment, 'name') || textIn(item, 'environment') || required(environment);
      const definition = toDefinition(item, { environment: named, wire: undefined, setNames: new Map() });
      return definition ?? leaveOut(unread, textIn(item, 'name'), named);
    });
    return { ...toFlag(first ?? {}), definitions };
  });
}

const toFlag = (item: Members): SourceFlag => ({
  name: textIn(item, 'name'),
  description: textIn(item, 'description'),
  trafficType: textIn(item.trafficType, 'name') || textIn(item, 'trafficTypeName') || 'user',
  rolloutStatus: textIn(item.rolloutStatus, 'name') || undefined,
  tags: tagsIn(item),
  owners: [],
  creationTime: numberIn(item, 'creationTime'),
  definitions: [],
});
