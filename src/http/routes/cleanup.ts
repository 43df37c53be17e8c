import { setImmediate as nextTurn } from 'node:timers/promises';
import { changePolicy, keepFlag, unkeepFlag } from '#commands/cleanup.ts';
import * as contract from '#contract/cleanup.ts';
import { limited } from '#contract/parts.ts';
import type { Delivery } from '#delivery/start.ts';
import { type CleanupFlag, callDays, cleanupGroups } from '#domain/cleanup.ts';
import { dayMs } from '#domain/durations.ts';
import type { Reference } from '#domain/schema.ts';
import { type HourCount, inSteps } from '#domain/traffic.ts';
import { readCleanup } from '#store/cleanup.ts';
import { listEnvironments } from '#store/environments.ts';
import { firstOf } from '#store/paging.ts';
import type { Reader } from '#store/sql.ts';
import { listCounts } from '#store/traffic.ts';
import { implement } from '../pipeline/implement.ts';
import { JsonReply } from '../pipeline/json-reply.ts';

export const cleanup = (db: Reader, delivery: Delivery | undefined) =>
  implement(contract, {
    listCleanup: async ({ actor, project, query: { group, owner, points, offset = 0, limit: asked } }) => {
      const all = await listEnvironments(db, project.id, actor.scope);
      const { policy, environments, flags } = await readCleanup(db, project.id, all);
      const isOwned = ({ owners }: CleanupFlag) => owner === undefined || owners.some(({ id }) => id === owner);
      const listed = group === undefined ? cleanupGroups.filter((one) => one !== 'kept' && one !== 'in-use') : [group];
      const limit = limited(asked, contract.listCleanup.pageSize);
      const first = firstOf(offset + limit, byGroupAndTime);
      const counts = Object.fromEntries(cleanupGroups.map((one) => [one, 0])) as Counts;
      const pointTexts: string[] = [];
      for await (const some of flags) {
        const owned = some.filter(isOwned);
        for (const flag of owned) counts[flag.group] += 1;
        first.add(owned.filter((flag) => listed.includes(flag.group)));
        if (points && owned.length > 0) pointTexts.push(owned.map(toPointText).join(','));
      }
      const objects: CleanupFlag[] = [];
      for (const flag of first.inOrder().slice(offset)) {
        objects.push({ ...flag, ...(await usesOf(flag, { db, delivery, environments, all })) });
      }
      const page = {
        objects,
        offset,
        limit,
        totalCount: listed.reduce((sum, one) => sum + counts[one], 0),
        policy,
        environments: environments.map(({ id, name }) => ({ id, name })),
        counts,
      };
      return points ? new JsonReply(withPoints(page, pointTexts)) : page;
    },
    changeCleanupPolicy: async ({ context, project, body }) => changePolicy(context, project, body),
    keepFlag: async ({ context, project, flag, body }) => keepFlag(context, { project, flag }, body),
    unkeepFlag: async ({ context, project, flag }) => unkeepFlag(context, { project, flag }),
  });

type Counts = Record<(typeof cleanupGroups)[number], number>;

const startOf = ({ treatmentSince, killedSince, creationTime }: CleanupFlag): number =>
  killedSince ?? treatmentSince ?? creationTime;

const byGroupAndTime = (one: CleanupFlag, other: CleanupFlag): number =>
  cleanupGroups.indexOf(one.group) - cleanupGroups.indexOf(other.group) || startOf(one) - startOf(other);

const toPointText = ({ name, group, creationTime, treatmentSince }: CleanupFlag): string =>
  JSON.stringify({ name, group, creationTime, treatmentSince });

/** The page, and all flags in short, already as text. */
async function* withPoints(page: object, texts: readonly string[]): AsyncGenerator<string> {
  yield `${JSON.stringify(page).slice(0, -1)},"points":[`;
  for (const [index, text] of texts.entries()) yield index === 0 ? text : `,${text}`;
  yield ']}';
}

interface Sources {
  readonly db: Reader;
  readonly delivery: Delivery | undefined;
  /** Those that decide. */
  readonly environments: readonly Reference[];
  readonly all: readonly Reference[];
}

const maxAskers = 3;

/** Who asks for the flag, and how often. */
async function usesOf(
  { id: flagId, lastTrafficReceivedAt = 0 }: CleanupFlag,
  { db, delivery, environments, all }: Sources,
): Promise<Pick<CleanupFlag, 'calls' | 'askers'>> {
  const now = db.clock();
  const steps = { from: now - (now % dayMs) - (callDays - 1) * dayMs, step: dayMs, steps: callDays };
  const askers = all
    .flatMap(({ id: environmentId }) => delivery?.recents.askersOf({ environmentId, flagId }) ?? [])
    .sort((one, other) => other.lastAt - one.lastAt)
    .slice(0, maxAskers);
  if (lastTrafficReceivedAt < steps.from) return { askers };
  const rows: HourCount[] = [];
  for (const { id: environmentId } of environments) {
    rows.push(...(await listCounts(db, { environmentId, flagId }, steps.from)));
    // SQLite reads without waiting.
    await nextTurn();
  }
  const perDay = inSteps(rows, steps, ({ evaluations }) => evaluations);
  const treatments = [...new Set(rows.map(({ treatment }) => treatment))]
    .filter((treatment) => treatment !== '')
    .sort();
  return { calls: { perDay, treatments }, askers };
}
