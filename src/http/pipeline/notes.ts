import { noteLimit } from '#contract/parts.ts';
import { refuse } from '#domain/problems.ts';
import type { Note } from '#domain/projects.ts';

const members = ['title', 'comment'] as const;

/** Title and comment from the query, else from the body; an empty one is none. */
export function noteOf(query: Note, body?: unknown): Note {
  const sent = (body ?? {}) as Record<keyof Note, unknown>;
  refuse(
    'request_invalid',
    members.flatMap((member) => complaintsAbout(member, sent[member])),
  );
  const pick = (member: keyof Note) => query[member] || (sent[member] as string | null | undefined) || undefined;
  return { title: pick('title'), comment: pick('comment') };
}

/** Bodies that the domain reads itself are not held against a schema here; this part of them is ours. */
function complaintsAbout(member: keyof Note, value: unknown): string[] {
  if (value === undefined || value === null) return [];
  if (typeof value !== 'string') return [`${member} must be string`];
  return value.length > noteLimit ? [`${member} must not have more than ${noteLimit} characters`] : [];
}
