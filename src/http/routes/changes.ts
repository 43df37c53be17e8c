import * as contract from '#contract/changes.ts';
import type { Query } from '#contract/endpoint.ts';
import type { Scope } from '#domain/access.ts';
import { daysBetween } from '#domain/calendar.ts';
import { maxDays, maxPerDay } from '#domain/changes.ts';
import { refuse } from '#domain/problems.ts';
import { type ChangeSelection, countChangesByDay, findChanges, listChanges, listKillTimes } from '#store/changes.ts';
import type { Reader } from '#store/sql.ts';
import { type Markers, markerPage } from '../paging/markers.ts';
import { changesFile } from '../pipeline/changes-file.ts';
import { implement } from '../pipeline/implement.ts';

type Asked = Omit<Query<typeof contract.getChangesCalendar>, 'from' | 'to' | 'timeZone'>;

const selectionOf = (
  { scope }: { readonly scope: Scope },
  { workspaceId: projectId, environmentId, objectType, objectId, actor: actorId, changesetId, search }: Asked,
): ChangeSelection => ({ scope, projectId, environmentId, objectType, objectId, actorId, changesetId, search });

export const changes = (db: Reader, markers: Markers) =>
  implement(contract, {
    listChanges: async ({ actor, query }) => {
      const { from, to } = query;
      const filter = { ...selectionOf(actor, query), from, to };
      return markerPage(markers, query, contract.listChanges.pageSize, {
        list: (slice) => listChanges(db, { ...filter, ...slice }),
        positionOf: (place) => place,
        bytesOf: (place) => place.bytes,
        show: (places) =>
          findChanges(
            db,
            places.map(({ id }) => id),
            actor.scope,
          ),
      });
    },

    downloadChanges: async ({ actor, query }) =>
      changesFile(db, { ...selectionOf(actor, query), from: query.from, to: query.to }, query.format),

    getChangesCalendar: async ({ actor, query }) => {
      const { from, to, timeZone = 'UTC' } = query;
      const days = daysBetween(from, to, timeZone, maxDays + 1);
      refuse('request_invalid', [
        ...(days ? [] : ['timeZone must be the name of a time zone, for example Europe/Berlin']),
        ...(days && days.length > maxDays ? [`to must be within ${maxDays} days of from`] : []),
      ]);
      const selection = selectionOf(actor, query);
      const counts = await countChangesByDay(db, selection, days ?? [], maxPerDay);
      const span = { from: days?.[0]?.start ?? from, to: (days?.at(-1)?.end ?? to) - 1 };
      const kills = await listKillTimes(db, selection, span);
      const found = (days ?? []).map(({ name, start, end }, index) => ({
        day: name,
        count: 0,
        production: 0,
        isPartial: false,
        ...counts[index],
        kills: kills.filter((at) => at >= start && at < end).length,
      }));
      return { days: found.filter(({ count, kills }) => count + kills > 0) };
    },
  });
