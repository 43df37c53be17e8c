/** What the segments that rules name are in an environment: whether they exist and are active, and their rules. */
import { keepPreviousData, queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { listChanges } from '#contract/changes.ts';
import { getRuleBasedDefinition } from '#contract/rule-based-segments.ts';
import { listSegments } from '#contract/segments.ts';
import { segmentsIn } from '#domain/definitions/conditions.ts';
import { maxSegments } from '#domain/definitions/references.ts';
import type { SegmentRules } from '#domain/rule-based-segments.ts';
import type { SegmentKind } from '#domain/segments.ts';
import { call, keyOf } from '../server/api.ts';
import { ApiProblem } from '../server/api-problem.ts';
import { useProject } from '../server/project.ts';

export interface KnownSegment {
  readonly kind: SegmentKind;
  readonly isActive: boolean;
  readonly keyCount: number;
  /** Only of an active rule-based segment. */
  readonly rules?: SegmentRules;
}

/** By name. Without an entry, nothing is known yet. */
export type KnownSegments = ReadonlyMap<string, KnownSegment | 'missing'>;

const nothing: KnownSegments = new Map();

/** These segments, and those that they name themselves. */
export function useKnownSegments(environment: string, names: readonly string[]) {
  const project = useProject();
  const sorted = [...new Set(names)].filter((name) => name !== '').sort();
  const { data, error } = useQuery({
    ...knownReading({ project: project.id, environment }, sorted),
    enabled: sorted.length > 0,
    placeholderData: keepPreviousData,
  });
  return { known: data ?? nothing, error };
}

interface Place {
  readonly project: string;
  readonly environment: string;
}

const knownReading = (place: Place, names: readonly string[]) =>
  queryOptions<KnownSegments, ApiProblem>({
    queryKey: [...keyOf(listSegments), 'named', place, names],
    queryFn: async () => {
      const known = new Map<string, KnownSegment | 'missing'>();
      for (let asked = names; asked.length > 0 && known.size < maxSegments; ) {
        const found = await Promise.all(chunksOf(asked).map((chunk) => find(place, chunk)));
        for (const [name, segment] of found.flat()) known.set(name, segment);
        asked = [...new Set([...known.values()].flatMap(namesIn))].filter((name) => !known.has(name));
      }
      return known;
    },
  });

/** As many names as one request takes. */
const perRequest = 100;

const chunksOf = (names: readonly string[]): string[][] =>
  Array.from({ length: Math.ceil(names.length / perRequest) }, (_, index) =>
    names.slice(index * perRequest, (index + 1) * perRequest),
  );

const namesIn = (segment: KnownSegment | 'missing'): string[] =>
  segment === 'missing' || !segment.rules
    ? []
    : [...segmentsIn(segment.rules.rules), ...segment.rules.excludedSegments.map(({ name }) => name)];

async function find(place: Place, names: string[]): Promise<[string, KnownSegment | 'missing'][]> {
  const { objects } = await call(listSegments, {
    params: { project: place.project },
    query: { names, kind: 'all', expand: 'environments', limit: perRequest },
  });
  const found = new Map(objects.map((one) => [one.name, one]));
  return Promise.all(
    names.map(async (name): Promise<[string, KnownSegment | 'missing']> => {
      const segment = found.get(name);
      if (!segment) return [name, 'missing'];
      const { kind = 'standard', environments = [] } = segment;
      const usage = environments.find(({ environment }) => environment.id === place.environment);
      const isActive = usage?.active ?? false;
      const rules = kind === 'rule_based' && isActive ? await rulesOf(place, name) : undefined;
      return [name, { kind, isActive, keyCount: usage?.keyCount ?? 0, ...(rules ? { rules } : {}) }];
    }),
  );
}

/** Undefined if it was deactivated since the list was read. */
const rulesOf = ({ project, environment }: Place, ruleBasedSegment: string): Promise<SegmentRules | undefined> =>
  call(getRuleBasedDefinition, { params: { project, environment, ruleBasedSegment } }).catch((problem: unknown) => {
    if (problem instanceof ApiProblem && problem.status < 500 && problem.status > 0) return undefined;
    throw problem;
  });

/** After a segment was created or activated. */
export function useRefreshKnownSegments(): () => Promise<unknown> {
  const client = useQueryClient();
  return () =>
    Promise.all([listSegments, listChanges].map((one) => client.invalidateQueries({ queryKey: keyOf(one) })));
}
