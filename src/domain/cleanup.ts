/** Which flags look finished, and what speaks for it. */
import { type Static, Type } from 'typebox';
import type { Targeting } from './definitions/definition.ts';
import { dayMs } from './durations.ts';
import { whyNeverReached } from './evaluation/reachability.ts';
import { Owner } from './flags.ts';
import { extend, Id, Millis, OneOf, Reference } from './schema.ts';

/** The next step for a flag, the easiest first. */
export const cleanupGroups = ['safe', 'code', 'killed', 'rules', 'kept', 'in-use'] as const;
export type CleanupGroup = (typeof cleanupGroups)[number];

const Days = (description: string) => Type.Integer({ minimum: 1, maximum: 3_650, description });

/** When a flag counts as finished. */
export const CleanupPolicy = Type.Object(
  {
    oneTreatmentDays: Days('everyone gets the same treatment for so long'),
    ageDays: Days('and the flag is so old'),
    quietDays: Days('no SDK has evaluated it for so long'),
    killedDays: Days('it has been killed for so long'),
    environmentIds: Type.Array(Id, {
      maxItems: 200,
      description: 'the environments that decide; empty: those of production, or all if none is',
    }),
  },
  { additionalProperties: false },
);
export type CleanupPolicy = Static<typeof CleanupPolicy>;

export const defaultPolicy: CleanupPolicy = {
  oneTreatmentDays: 30,
  ageDays: 90,
  quietDays: 30,
  killedDays: 30,
  environmentIds: [],
};

/** The environments that decide. Of those that the policy names, some may be deleted. */
export function decisiveOf<Environment extends { readonly id: string; readonly production: boolean }>(
  environments: readonly Environment[],
  { environmentIds }: CleanupPolicy,
): readonly Environment[] {
  const named = environments.filter(({ id }) => environmentIds.includes(id));
  const production = environments.filter((environment) => environment.production);
  return [named, production].find((some) => some.length > 0) ?? environments;
}

/** Someone wants to keep the flag. */
export const KeepBody = Type.Object(
  {
    until: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 8.64e15, description: 'in milliseconds; absent: for good' }),
    ),
    note: Type.Optional(Type.String({ maxLength: 2_000 })),
  },
  { additionalProperties: false },
);
export const Keep = extend(
  KeepBody,
  Type.Object({
    keptAt: Millis,
    keptBy: Type.String({ description: 'the email address of the person, or the name of the API key' }),
  }),
);
export type Keep = Static<typeof Keep>;

const PastDate = Type.Object({ attribute: Type.String(), date: Millis });
export type PastDate = Static<typeof PastDate>;

/** What a definition says about cleaning up. It is stored, because reading all definitions takes long. */
export interface DefinitionFacts {
  readonly environmentId: string;
  /** What everyone gets; undefined if there is more than one treatment. */
  readonly treatment: string | undefined;
  readonly isKilled: boolean;
  /** Since when `treatment` and `isKilled` are as they are. */
  readonly since: number;
  /** SDKs do not report its evaluations. */
  readonly isSilent: boolean;
  readonly dates: readonly PastDate[];
}

const maxDates = 5;

export const factsOf = (
  targeting: Targeting,
): Pick<DefinitionFacts, 'treatment' | 'isKilled' | 'isSilent' | 'dates'> => ({
  treatment: treatmentOfEveryone(targeting),
  isKilled: targeting.killed,
  isSilent: targeting.impressionsDisabled,
  dates: datesIn(targeting).slice(0, maxDates),
});

function treatmentOfEveryone(targeting: Targeting): string | undefined {
  const { killed, treatments, defaultTreatment, trafficAllocation, rules, defaultRule } = targeting;
  if (killed) return defaultTreatment;
  const reached = whyNeverReached(targeting).map((why) => why === undefined);
  const buckets = [...rules.map((rule) => rule.buckets), defaultRule].filter((_, index) => reached[index]).flat();
  const given = new Set([
    ...treatments.filter(({ keys = [], segments = [] }) => keys.length + segments.length > 0).map(({ name }) => name),
    ...(trafficAllocation < 100 ? [defaultTreatment] : []),
    ...buckets.filter(({ size }) => size > 0).map(({ treatment }) => treatment),
  ]);
  const [only] = given;
  return given.size === 1 ? only : undefined;
}

/** The last instant of each condition on a date. */
const datesIn = ({ rules }: Targeting): PastDate[] =>
  rules
    .flatMap(({ condition }) => condition.matchers)
    .flatMap(({ type, attribute = '', date, between }) => {
      const last = type === 'BETWEEN_DATE' ? between?.to : date;
      return typeof last === 'number' ? [{ attribute, date: last }] : [];
    });

/** What is known about a flag. */
export interface FlagFacts {
  readonly creationTime: number;
  /** Its rollout status says that it stays. */
  readonly isPermanent: boolean;
  /** In the environments that decide. */
  readonly definitions: readonly DefinitionFacts[];
  /** In all environments. */
  readonly everywhere: readonly DefinitionFacts[];
  /** In any environment. */
  readonly lastTrafficAt: number | undefined;
  readonly unknownSegments: readonly string[];
  readonly codeReferences: number;
  readonly keep: Keep | undefined;
}

export interface Now {
  readonly at: number;
  readonly policy: CleanupPolicy;
  /** SDKs reported evaluations of some flag lately: otherwise it means nothing that they reported none of this one. */
  readonly isReporting: boolean;
}

/** Since when everyone gets one treatment, the same in all environments that decide; undefined if they do not. */
export function oneTreatmentOf(
  definitions: readonly DefinitionFacts[],
): { treatment: string; since: number } | undefined {
  const [first] = definitions;
  if (first?.treatment === undefined || definitions.some(({ treatment }) => treatment !== first.treatment))
    return undefined;
  return { treatment: first.treatment, since: Math.max(...definitions.map(({ since }) => since)) };
}

/** The time since which it has been killed in every environment where it is; undefined if it is killed nowhere. */
export function killedSince(definitions: readonly DefinitionFacts[]): number | undefined {
  const killed = definitions.filter(({ isKilled }) => isKilled);
  return killed.length > 0 ? Math.max(...killed.map(({ since }) => since)) : undefined;
}

/** No SDK asks: known only where SDKs report what they ask. */
const isQuiet = ({ everywhere, lastTrafficAt }: FlagFacts, { at, policy, isReporting }: Now): boolean =>
  isReporting &&
  !everywhere.some(({ isSilent }) => isSilent) &&
  (lastTrafficAt === undefined || lastTrafficAt <= at - policy.quietDays * dayMs);

/** Dates of rules that have passed for as long as a treatment must stay. */
export const pastDatesOf = (definitions: readonly DefinitionFacts[], { at, policy }: Now): PastDate[] =>
  definitions.flatMap(({ dates }) => dates).filter(({ date }) => date <= at - policy.oneTreatmentDays * dayMs);

export function groupOf(flag: FlagFacts, now: Now): CleanupGroup {
  const { at, policy } = now;
  const { definitions, everywhere, keep, creationTime, unknownSegments, codeReferences } = flag;
  const isFor = (since: number | undefined, days: number) => since !== undefined && since <= at - days * dayMs;
  const group = ((): CleanupGroup => {
    if (flag.isPermanent) return 'in-use';
    if (isFor(killedSince(definitions), policy.killedDays)) return 'killed';
    const isOld = isFor(creationTime, policy.ageDays);
    const isUnused = isQuiet(flag, now) || (everywhere.length === 0 && flag.lastTrafficAt === undefined);
    const isStill = everywhere.every(({ since }) => isFor(since, policy.quietDays));
    if (isOld && isUnused && isStill) return codeReferences > 0 ? 'code' : 'safe';
    if (isOld && isFor(oneTreatmentOf(definitions)?.since, policy.oneTreatmentDays)) return 'code';
    return unknownSegments.length > 0 || pastDatesOf(definitions, now).length > 0 ? 'rules' : 'in-use';
  })();
  const isKept = keep !== undefined && (keep.until === undefined || keep.until > at);
  return isKept && group !== 'in-use' ? 'kept' : group;
}

const Calls = Type.Object({
  perDay: Type.Array(Type.Integer(), {
    description: 'evaluations in the environments that decide, oldest day first, in UTC',
  }),
  treatments: Type.Array(Type.String(), { description: 'those that SDKs reported in this time' }),
});
export type Calls = Static<typeof Calls>;

export const callDays = 24;

/** A flag with what speaks for removing it. */
export const CleanupFlag = Type.Object({
  id: Type.String(),
  name: Type.String(),
  group: OneOf(cleanupGroups),
  creationTime: Millis,
  rolloutStatus: Reference,
  owners: Type.Array(Owner),
  treatment: Type.Optional(Type.String({ description: 'what everyone gets in each environment that decides' })),
  treatmentSince: Type.Optional(Millis),
  killedSince: Type.Optional(Millis),
  killedIn: Type.Array(Reference, { description: 'environments that decide' }),
  definedIn: Type.Array(Reference, { description: 'of all environments' }),
  lastTrafficReceivedAt: Type.Optional(Millis),
  isSilent: Type.Boolean({ description: 'in some environment, SDKs are told not to report its evaluations' }),
  unknownSegments: Type.Array(Type.String(), { description: 'that rules or treatments name' }),
  pastDates: Type.Array(PastDate, { description: 'that rules compare with' }),
  codeReferences: Type.Integer({ description: 'how often it occurs in scanned code' }),
  keep: Type.Optional(Keep),
  calls: Type.Optional(Calls),
  askers: Type.Optional(
    Type.Array(Type.Object({ sdk: Type.String(), machine: Type.Optional(Type.String()), lastAt: Millis }), {
      description: 'the last SDKs that reported evaluations of it to the node that answers',
    }),
  ),
});
export type CleanupFlag = Static<typeof CleanupFlag>;

/** A flag in the picture of all of them. */
export const CleanupPoint = Type.Object({
  name: Type.String(),
  group: OneOf(cleanupGroups),
  creationTime: Millis,
  treatmentSince: Type.Optional(Millis),
});
