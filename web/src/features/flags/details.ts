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
  readonly owners: FlagAnswer['owners'];
}

export const detailsOf = ({ description, tags, rolloutStatus, owners }: FlagAnswer): Details => ({
  description,
  tags: (tags ?? []).map(({ name }) => name),
  status: rolloutStatus.id,
  owners,
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
  if (!equalJson(wanted.owners, saved.owners)) {
    operations.push({ op: 'replace', path: '/owners', value: wanted.owners });
  }
  return operations;
}

/** Edits to fields that someone else changed meanwhile. `nameOf` resolves the ids of statuses and owners. */
export const overwritten = (
  saved: Details,
  edits: Edits<Details>,
  nameOf: (id: string) => string | undefined,
): { name: keyof Details; theirs: string }[] =>
  (Object.keys(edits) as (keyof Details)[])
    .filter((name) => {
      const edit = edits[name];
      return edit && !equalJson(saved[name], edit.from) && !equalJson(saved[name], edit.to);
    })
    .map((name) => ({ name, theirs: wordsOf(saved, name, nameOf) || 'nothing' }));

function wordsOf(saved: Details, name: keyof Details, nameOf: (id: string) => string | undefined): string {
  if (name === 'owners') return saved.owners.map(({ id }) => nameOf(id) ?? id).join(', ');
  if (name === 'tags') return saved.tags.join(', ');
  return name === 'status' ? (nameOf(saved.status) ?? saved.status) : saved.description;
}
