/** Who is editing which definition now, as pages announce it. In memory: each node receives all announcements. */
import type { Editing } from '#store/notices.ts';

/** What pages receive. */
export interface EditorEvent {
  readonly project: string;
  readonly environment: string;
  /** Its id. */
  readonly flag: string;
  readonly person: { readonly id: string; readonly name: string };
  /** For how long it holds, unless it is announced again; 0: no longer. */
  readonly forMs: number;
}

export interface Editors {
  note(notice: Editing): EditorEvent;
  all(): EditorEvent[];
}

/** Pages announce it every 20 seconds. */
const lifeMs = 45_000;
/** Bounds memory: the oldest is forgotten. */
const maxEditors = 1_000;

export function createEditors(now: () => number): Editors {
  const editors = new Map<string, { readonly event: EditorEvent; readonly until: number }>();
  const forgetExpired = (): void => {
    for (const [key, { until }] of editors) if (until <= now() || editors.size > maxEditors) editors.delete(key);
  };
  return {
    note: ({ isEditing, actorId, actorName, projectId, environmentId, flagId }) => {
      const key = `${environmentId} ${flagId} ${actorId}`;
      const event = {
        project: projectId,
        environment: environmentId,
        flag: flagId,
        person: { id: actorId, name: actorName },
        forMs: isEditing ? lifeMs : 0,
      };
      // Deleted first, so that the order is that of the announcements.
      editors.delete(key);
      if (isEditing) editors.set(key, { event, until: now() + lifeMs });
      forgetExpired();
      return event;
    },
    all: () => {
      forgetExpired();
      return [...editors.values()].map(({ event, until }) => ({ ...event, forMs: until - now() }));
    },
  };
}
