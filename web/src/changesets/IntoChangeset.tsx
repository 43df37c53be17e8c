import { useQueries } from '@tanstack/react-query';
import { useRef } from 'react';
import { listChangesets } from '#contract/changesets.ts';
import { type Changeset, openStates } from '#domain/changesets.ts';
import { explain } from '../kit/explain.ts';
import { reading } from '../server/api.ts';
import type { ApiProblem } from '../server/api-problem.ts';
import { useProject } from '../server/project.ts';
import { Button } from '../ui/Button.tsx';
import { Select } from '../ui/Select.tsx';
import { objectOf, stateWords, titleOf } from './changesets-query.ts';

interface Props {
  /** The id; empty: a new one. */
  readonly chosen: string;
  readonly onChoose: (id: string) => void;
  /** The one definition that is put into it, by ids. */
  readonly place?: { readonly flag: string; readonly environment: string };
  readonly error?: string | undefined;
}

const maxOfEach = 50;

/** Those of the project that are not over, the last changed first. Change requests are about one object for good. */
function useOpenChangesets() {
  const project = useProject();
  const answers = useQueries({
    queries: openStates.map((status) =>
      reading(listChangesets, { query: { workspaceId: project.id, status, limit: maxOfEach } }),
    ),
  });
  const all = answers
    .flatMap(({ data }) => (data?.data ?? []) as Changeset[])
    .filter((one) => one.operationType === undefined)
    .toSorted((one, other) => other.updatedAt - one.updatedAt);
  const failed = answers.filter(({ data, error }) => data === undefined && error);
  const retry = () => {
    for (const { refetch } of failed) void refetch();
  };
  return { all, problem: failed[0]?.error, retry };
}

/** Chooses a changeset to add to: a new or an existing one. */
export function IntoChangeset({ chosen, onChoose, place, error }: Props) {
  const { all, problem, retry } = useOpenChangesets();
  const select = useRef<HTMLSelectElement>(null);
  const retryFromHere = () => {
    // The button goes with the problem.
    select.current?.focus();
    retry();
  };
  const found = all.find(({ id }) => id === chosen);
  return (
    <Select
      ref={select}
      name="changeset"
      label="Changeset"
      value={chosen}
      onChange={({ target }) => onChoose(target.value)}
      // A new one can be made all the same.
      hint={found ? hintFor(found, place) : problem && <Unread problem={problem} onRetry={retryFromHere} />}
      error={error}
    >
      <option value="">A new one</option>
      {all.map((one) => (
        <option key={one.id} value={one.id}>
          {titleOf(one)} ({stateWords[one.status].label.toLowerCase()})
        </option>
      ))}
    </Select>
  );
}

const Unread = ({ problem, onRetry }: { readonly problem: ApiProblem; readonly onRetry: () => void }) => (
  <>
    The open changesets could not be loaded. {explain(problem)}{' '}
    <Button look="link" size="small" onClick={onRetry}>
      Try again
    </Button>
  </>
);

function hintFor({ status, operations }: Changeset, place: Props['place']): string | undefined {
  const same = operations.find((one) => objectOf(one).id === place?.flag && one.environment?.id === place.environment);
  const replaces =
    same?.environment && `It already changes this flag in ${same.environment.name}. This replaces that change.`;
  const voids = status === 'DRAFT' ? undefined : 'This voids its approvals.';
  return [replaces, voids].filter(Boolean).join(' ') || undefined;
}
