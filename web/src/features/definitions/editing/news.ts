/** Announces what someone else did to the open definition. Loaded when that happens. */
import type { QueryClient } from '@tanstack/react-query';
import { toTargeting } from '#domain/definitions/definition.ts';
import { differencesBetween } from '#domain/definitions/differences.ts';
import type { ExpandedDefinition } from '#domain/definitions/summary.ts';
import { fetchEditorName } from '../../../kit/EditorName.tsx';
import { toast } from '../../../state/toasts.ts';
import { differenceTitle } from '../../../targeting/difference-words.ts';
import type { changesReading } from './changes.ts';

interface Asked {
  readonly client: QueryClient;
  readonly reading: ReturnType<typeof changesReading>;
  /** The user's own changes are not announced. */
  readonly me: string;
  /** The definition, as toasts name it. */
  readonly about: string;
}

/** Returns whether it was announced. */
export async function tellNews({ client, reading, me, about }: Asked, news: News): Promise<boolean> {
  // A request in progress may have begun before this change, and would name someone else.
  await client.cancelQueries({ queryKey: reading.queryKey });
  const changes = await client.fetchQuery({ ...reading, staleTime: 0 }).catch(() => undefined);
  const latest = changes?.data[0];
  if (latest && latest.editor.id === me) return false;
  const who = latest ? await fetchEditorName(client, latest.editor) : 'Someone else';
  toast(newsOf(who, news), undefined, about);
  return true;
}

export interface News {
  readonly hasDraft: boolean;
  readonly conflicts: number;
  readonly old: ExpandedDefinition | undefined;
  readonly now: ExpandedDefinition | undefined;
}

function newsOf(who: string, { old, now, hasDraft, conflicts }: News): string {
  const what = whatTheyDid(old, now);
  if (conflicts > 0) return `${who} ${what}, which you edited too. Choose which version to keep.`;
  return hasDraft ? `${who} ${what}. Your draft is kept.` : `${who} ${what}.`;
}

function whatTheyDid(old: ExpandedDefinition | undefined, now: ExpandedDefinition | undefined): string {
  if (!now) return 'removed this definition';
  if (!old) return 'defined the flag here';
  const [first, ...others] = differencesBetween(toTargeting(old), toTargeting(now)).map(differenceTitle);
  if (first === undefined) return 'changed this definition';
  return others.length === 0 ? `changed ${first}` : `changed ${first} and ${others.length} more`;
}
