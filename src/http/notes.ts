import type { Note } from '#domain/projects.ts';

/** Title and comment from the query, else from the body; an empty one is none. */
export function noteOf(query: Note, body?: unknown): Note {
  const sent = (body ?? {}) as Record<keyof Note, unknown>;
  const pick = (member: keyof Note) => query[member] || (typeof sent[member] === 'string' && sent[member]) || undefined;
  return { title: pick('title'), comment: pick('comment') };
}
