import { useQueries } from '@tanstack/react-query';
import { GitPullRequestArrow } from 'lucide-react';
import { listChangesets } from '#contract/changesets.ts';
import type { Changeset } from '#domain/changesets.ts';
import { EditorName } from '../kit/EditorName.tsx';
import { reading } from '../server/api.ts';
import { type Environment, useProject } from '../server/project.ts';
import { useMay } from '../server/session.ts';
import { TextLink } from '../ui/TextLink.tsx';
import { titleOf } from './changesets-query.ts';
import styles from './ScheduledBand.module.css';

/** Drafts are private to their author. */
const shownStates = ['REQUESTED', 'APPROVED'] as const;
const maxOfEach = 10;

interface Props {
  readonly environment: Environment;
  /** The flag or the segment, by id. */
  readonly object: { readonly flag: string } | { readonly segment: string };
}

/** What others propose for a flag or segment in an environment, so that nobody edits it unaware. */
export function ProposedBand({ environment, object }: Props) {
  const project = useProject();
  const may = useMay();
  const answers = useQueries({
    queries: shownStates.map((status) => ({
      ...reading(listChangesets, {
        query: { workspaceId: project.id, ...object, environment: environment.id, status, limit: maxOfEach },
      }),
      enabled: may(listChangesets),
    })),
  });
  const proposed = answers.flatMap(({ data }) => (data?.data ?? []) as Changeset[]);
  if (proposed.length === 0) return null;
  return (
    <section className={styles.band} aria-label="Proposed">
      <GitPullRequestArrow size={16} aria-hidden />
      <ul>
        {proposed.map((changeset) => (
          <li key={changeset.id}>
            <TextLink
              to="/p/$project/changesets/$changeset"
              params={{ project: project.name, changeset: changeset.id }}
            >
              {titleOf(changeset)}
            </TextLink>
            <span>
              Proposed by <EditorName editor={changeset.author} />.{' '}
              {changeset.status === 'APPROVED' ? 'Ready to apply.' : 'Waiting for approval.'}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
