/** Where code names a flag. */
import { useQueries } from '@tanstack/react-query';
import { getFlagCode } from '#contract/code-references.ts';
import { reading } from '../server/api.ts';
import { useProject } from '../server/project.ts';
import { Notice } from '../ui/Notice.tsx';

export const codeReading = (project: string, flag: string) => reading(getFlagCode, { params: { project, flag } });

/** Each takes a request. */
const maxAsked = 50;

/** Which of the flags code names. Of more flags than can be asked about, none. */
export function useNamedByCode(flags: readonly string[]): string[] {
  const project = useProject();
  const asked = flags.length <= maxAsked ? flags : [];
  const answers = useQueries({ queries: asked.map((flag) => codeReading(project.id, flag)) });
  return asked.filter((_, index) => (answers[index]?.data?.reports.length ?? 0) > 0);
}

const shown = 3;

/** Says which of the flags code still names, if any. */
export function CodeWarning({ flags }: { readonly flags: readonly string[] }) {
  const named = useNamedByCode(flags);
  if (named.length === 0) return null;
  const names =
    named.length > shown ? `${named.slice(0, shown).join(', ')} and ${named.length - shown} more` : named.join(', ');
  return (
    <Notice kind="plain">
      <p>
        <b>Code still names {flags.length === 1 ? 'this flag' : names}.</b> It gets <code>control</code> from then on.
        Details show where. Remove it from the code first.
      </p>
    </Notice>
  );
}
