import { type UseQueryOptions, useQuery } from '@tanstack/react-query';
import type { listChanges } from '#contract/changes.ts';
import { EditorName } from '../kit/EditorName.tsx';
import type { Answer } from '../server/api.ts';
import type { ApiProblem } from '../server/api-problem.ts';
import { useMe } from '../server/session.ts';
import { Time } from '../ui/Time.tsx';

/** The changes of the definition, newest first. */
export type ChangesReading = UseQueryOptions<Answer<typeof listChanges>, ApiProblem>;

/** Who saved last, when and why. Empty if that is not known. */
export function TheirChange({ reading }: { readonly reading: ChangesReading }) {
  const me = useMe().user.id;
  const { data } = useQuery(reading);
  // Of a segment, the log also has when it was activated.
  const change = data?.data.find(({ auditLogType }) => auditLogType !== 'segment.activated');
  if (!change) return null;
  return (
    <>
      Saved by <b>{change.editor.id === me ? 'you' : <EditorName editor={change.editor} />}</b>,{' '}
      <Time at={change.createdAt} />
      {change.title === undefined ? '.' : `: ${change.title}`}
    </>
  );
}
