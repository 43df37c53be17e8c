import { setImmediate as nextTurn } from 'node:timers/promises';
import { abortChangeset, pauseChangeset, resumeChangeset, scheduleChangeset, skipWait } from '#commands/schedules.ts';
import * as contract from '#contract/schedules.ts';
import { parseStored } from '#domain/definitions/definition.ts';
import { comingSchedule } from '#domain/ramps.ts';
import type { ComingSchedule } from '#domain/schedules.ts';
import { findChangeset, listOperations } from '#store/changesets.ts';
import { findStoredDefinition } from '#store/definitions.ts';
import { listScheduledFor } from '#store/schedules.ts';
import type { Reader } from '#store/sql.ts';
import { implement } from '../pipeline/implement.ts';
import { type ChangesetSettings, lifeMsOf } from './changesets.ts';

const maxSchedules = 10;

export const schedules = (db: Reader, settings: ChangesetSettings) =>
  implement(contract, {
    scheduleChangeset: async ({ context, params, body, ifMatch }) =>
      scheduleChangeset(context, params.changeset, { ...body, lifeMs: lifeMsOf(settings), ifMatch }),
    pauseChangeset: async ({ context, params, body = {}, ifMatch }) =>
      pauseChangeset(context, params.changeset, { ...body, ifMatch }),
    resumeChangeset: async ({ context, params, body = {}, ifMatch }) =>
      resumeChangeset(context, params.changeset, { ...body, ifMatch }),
    skipWait: async ({ context, params, body = {}, ifMatch }) =>
      skipWait(context, params.changeset, { ...body, ifMatch }),
    abortChangeset: async ({ context, params, body = {}, ifMatch }) =>
      abortChangeset(context, params.changeset, { ...body, ifMatch }),
    listComingSteps: async ({ actor, project, environment, flag }) => {
      const place = { projectId: project.id, environmentId: environment.id, flagId: flag.id };
      const ids = [
        ...(await listScheduledFor(db, place, { state: 'SCHEDULED', limit: maxSchedules })),
        ...(await listScheduledFor(db, place, { state: 'SCHEDULE_REQUESTED', limit: maxSchedules })),
      ].slice(0, maxSchedules);
      if (ids.length === 0) return [];
      const stored = await findStoredDefinition(db, environment, flag.id);
      const now = stored && parseStored(stored);
      const operations = await listOperations(db, ids);
      const coming: ComingSchedule[] = [];
      for (const id of ids) {
        // A ramp takes some milliseconds.
        await nextTurn();
        const head = await findChangeset(db, id, actor);
        const mine = operations
          .get(id)
          ?.find((one) => one.object.id === flag.id && one.environment?.id === environment.id);
        if (head?.schedule && mine) coming.push(comingSchedule(head, head.schedule, mine, now));
      }
      return coming;
    },
  });
