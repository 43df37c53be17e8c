import { noteLimit } from '#contract/parts.ts';
import { refuse } from '#domain/problems.ts';
import type { Note } from '#domain/projects.ts';

/** Title and comment from the query, else from the body; an empty one is none. */
export function noteOf(query: Note, body?: unknown): Note {
  const sent = (body ?? {}) as Record<keyof Note, unknown>;
  const pick = (member: keyof Note) => query[member] || (typeof sent[member] === 'string' && sent[member]) || undefined;
  const note = { title: pick('title'), comment: pick('comment') };
  refuse(
    'request_invalid',
    (['title', 'comment'] as const)
      .filter((member) => (note[member]?.length ?? 0) > noteLimit)
      .map((member) => `${member} must not have more than ${noteLimit} characters`),
  );
  return note;
}
