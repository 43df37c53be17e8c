/** The editable fields of a flag, and how edits become a patch. */
import { equalJson } from '#domain/json.ts';
import type { Operation } from '#domain/json-patch.ts';
import type { FlagAnswer } from '../../server/flag.ts';
import type { Edits } from '../../state/edits.ts';

export interface Details {
  readonly description: string;
  readonly tags: readonly string[];
  /** Rollout status id. */
  readonly status: string;
}

export const detailsOf = ({ description, tags, rolloutStatus }: FlagAnswer): Details => ({
  description,
  tags: (tags ?? []).map(({ name }) => name),
  status: rolloutStatus.id,
});

export function patchOf(saved: Details, wanted: Details): Operation[] {
  const operations: Operation[] = [];
  if (wanted.description !== saved.description) {
    operations.push({ op: 'replace', path: '/description', value: wanted.description });
  }
  if (!equalJson(wanted.tags, saved.tags)) {
    operations.push({ op: 'replace', path: '/tags', value: wanted.tags.map((name) => ({ name })) });
  }
  if (wanted.status !== saved.status) {
    operations.push({ op: 'replace', path: '/rolloutStatus/id', value: wanted.status });
  }
  return operations;
}

/** Edits to fields that someone else changed meanwhile. */
export const overwritten = (saved: Details, edits: Edits<Details>): { name: keyof Details; theirs: string }[] =>
  (Object.keys(edits) as (keyof Details)[])
    .filter((name) => {
      const edit = edits[name];
      return edit && !equalJson(saved[name], edit.from) && !equalJson(saved[name], edit.to);
    })
    .map((name) => ({ name, theirs: wordsOf(saved[name]) || 'nothing' }));

const wordsOf = (value: Details[keyof Details]): string => (typeof value === 'string' ? value : value.join(', '));
