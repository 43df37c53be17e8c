/**
 * Where a definition gives more people a treatment than another environment does, in which changes are tried first. The
 * default treatment does not count: it is what people get without the change.
 */
import type { Bucket, Targeting } from '../definitions/definition.ts';
import type { Matcher } from '../definitions/matchers.ts';
import type { Evaluable } from './evaluate.ts';
import { type Context, exampleIn, tryIn } from './examples.ts';
import type { Finding, Task } from './findings.ts';
import { type Budget, type Region, regionOf, stepsOf } from './reachability.ts';

export interface Reference {
  /** Names of the two environments. */
  readonly here: string;
  readonly environment: string;
  readonly definition: Evaluable;
  /** False if it is not saved yet: then who is in a share there is open. */
  readonly areSeedsKnown: boolean;
  readonly definitionOf: (flag: string) => Evaluable | undefined;
}

interface SharingStep {
  readonly name: string;
  readonly matchers: readonly Matcher[];
  /** Percent of the keys that it takes, by treatment. */
  readonly shares: ReadonlyMap<string, number>;
}

interface Looser {
  readonly treatment: string;
  readonly step: SharingStep;
  readonly share: number;
  readonly there: number;
  readonly region: Region;
}

/** Where an example is looked for. */
const maxPlaces = 5;

export function looserThan(task: Task, staging: Reference): Finding[] {
  const { targeting, seeds, definition, definitionOf } = task;
  const { here, environment } = staging;
  const title = `${here} is looser than ${environment}`;
  const found = comparedWith(targeting, staging.definition, task.all.budget).sort(
    (one, other) => other.share - other.there - (one.share - one.there),
  );
  const mine = tryIn(definition, definitionOf);
  const theirs = tryIn(staging.definition, staging.definitionOf);
  const isLess = (context: Context, treatment: string) => {
    const got = theirs(context)?.treatment;
    return got !== undefined && got !== treatment;
  };
  return [...Map.groupBy(found, ({ treatment }) => treatment)].map(([treatment, places]): Finding => {
    const [largest] = places as [Looser];
    const about = { kind: 'looser', title, treatment } as const;
    for (const { step, share, there, region } of places.slice(0, maxPlaces)) {
      const example = exampleIn(
        task.all,
        region,
        (context) => isLess(context, treatment) && mine(context)?.treatment === treatment,
      );
      if (!example) continue;
      const isCertain = (seeds !== undefined && staging.areSeedsKnown) || (share === 100 && there === 0);
      const { key, attributes, segments } = example;
      const shown = { example: { key, attributes, segments: [...segments], treatment } };
      return {
        ...about,
        isProven: true,
        text: wordsFor({ treatment, step, share, there }, environment),
        ...(isCertain ? shown : {}),
      };
    }
    return { ...about, isProven: false, text: `Not proven: ${wordsFor(largest, environment)}` };
  });
}

function wordsFor({ treatment, step, share, there }: Omit<Looser, 'region'>, environment: string): string {
  const less = there === 0 ? 'none' : `${there}%`;
  return `${step.name} gives ${treatment} to ${share}% of its keys. In ${environment}, ${less} of the same keys get it.`;
}

function comparedWith(targeting: Targeting, other: Targeting, budget: Budget): Looser[] {
  const all = stepsOf([targeting, other], undefined, budget);
  const [mine, theirs] = [sharingSteps(targeting), sharingSteps(other)];
  const conditions = (steps: readonly SharingStep[]) => steps.map(({ matchers }) => all.conditionOf(matchers));
  const [here, there] = [conditions(mine), conditions(theirs)];
  const found: Looser[] = [];
  for (const [index, step] of mine.entries()) {
    for (const [place, other] of theirs.entries()) {
      if (budget.left < 0) return found;
      const more = [...step.shares].filter(
        ([treatment, share]) => treatment !== targeting.defaultTreatment && share > (other.shares.get(treatment) ?? 0),
      );
      if (more.length === 0) continue;
      const region = regionOf(all, all.untargeted, {
        within: [here[index] ?? [], there[place] ?? []],
        without: [...here.slice(0, index), ...there.slice(0, place)],
      });
      if (typeof region === 'string') continue;
      for (const [treatment, share] of more) {
        found.push({ treatment, step, share, there: other.shares.get(treatment) ?? 0, region });
      }
    }
  }
  return found;
}

/** Without keys that are targeted individually: they are different people in each environment. */
function sharingSteps(targeting: Targeting): SharingStep[] {
  const { killed, treatments, rules, defaultRule, trafficAllocation: allocation, defaultTreatment } = targeting;
  if (killed) return [{ name: 'Everyone', matchers: [], shares: new Map([[defaultTreatment, 100]]) }];
  const inAllocation = (buckets: readonly Bucket[]) =>
    new Map(buckets.map(({ treatment, size }) => [treatment, (size * allocation) / 100]));
  return [
    ...treatments.flatMap(({ name, segments = [] }) =>
      segments.map((segment) => ({
        name: `Segment ${segment}`,
        matchers: [{ type: 'IN_SEGMENT' as const, string: segment }],
        shares: new Map([[name, 100]]),
      })),
    ),
    ...rules.map(({ buckets, condition }, index) => ({
      name: `Rule ${index + 1}`,
      matchers: condition.matchers,
      shares: inAllocation(buckets),
    })),
    { name: 'Everyone else', matchers: [], shares: inAllocation(defaultRule) },
  ];
}
