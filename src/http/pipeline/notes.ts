import { noteLimit } from '#domain/notes.ts';
import { refuse } from '#domain/problems.ts';
import type { Note } from '#domain/projects.ts';

const members = ['title', 'comment'] as const;

/** Title and comment from the query, else from the body; empty counts as absent. */
export function noteOf(query: Note, body?: unknown): Note {
  const sent = (body ?? {}) as Record<keyof Note, unknown>;
  refuse(
    'request_invalid',
    members.flatMap((member) => complaintsAbout(member, sent[member])),
  );
  const pick = (member: keyof Note) => query[member] || (sent[member] as string | null | undefined) || undefined;
  return { title: pick('title'), comment: pick('comment') };
}

/** Bodies that the domain parses are not checked against a schema, so these members are checked here. */
function complaintsAbout(member: keyof Note, value: unknown): string[] {
  if (value === undefined || value === null) return [];
  if (typeof value !== 'string') return [`${member} must be string`];
  return value.length > noteLimit ? [`${member} must not have more than ${noteLimit} characters`] : [];
}
