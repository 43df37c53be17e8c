import { type UseQueryOptions, useQuery } from '@tanstack/react-query';
import type { listChanges } from '#contract/changes.ts';
import { EditorName } from '../kit/EditorName.tsx';
import type { Answer } from '../server/api.ts';
import type { ApiProblem } from '../server/api-problem.ts';
import { useMe } from '../server/session.ts';
import { Time } from '../ui/Time.tsx';

/** The changes of the definition, newest first. */
export type ChangesReading = UseQueryOptions<Answer<typeof listChanges>, ApiProblem>;

/** Who else saved last, when and why. Empty if that is not known. */
export function TheirChange({ reading }: { readonly reading: ChangesReading }) {
  const me = useMe().user.id;
  const { data } = useQuery(reading);
  const change = data?.data.find(({ editor }) => editor.id !== me);
  if (!change) return null;
  return (
    <>
      Saved by{' '}
      <b>
        <EditorName editor={change.editor} />
      </b>
      , <Time at={change.createdAt} />
      {change.title === undefined ? '.' : `: ${change.title}`}
    </>
  );
}
