import { useMutation, useQuery } from '@tanstack/react-query';
import { createFlagSet } from '#contract/flag-sets.ts';
import { withFlagSets } from '#domain/definitions/definition.ts';
import type { FlagSetReply } from '#domain/flag-sets.ts';
import { explain } from '../../../kit/explain.ts';
import { flagSetsReading, useRefreshFlagSets } from '../../../kit/flag-sets.ts';
import { call } from '../../../server/api.ts';
import type { ApiProblem } from '../../../server/api-problem.ts';
import { useProject } from '../../../server/project.ts';
import { useWhyNot } from '../../../server/rights.ts';
import { toast, toastFailure } from '../../../state/toasts.ts';
import { ChipsField } from '../../../ui/ChipsField.tsx';
import { useDefinition } from '../editing/editor.ts';

/** The flag sets that the definition is in. */
export function FlagSetsCard() {
  const project = useProject();
  const { targeting, change, mayEdit } = useDefinition();
  const refresh = useRefreshFlagSets();
  const mayCreate = useWhyNot()(createFlagSet) === undefined;
  const { data: all } = useQuery(flagSetsReading(project.id));
  const selected = (targeting.flagSets ?? []).map(({ id }) => id);
  const set = (ids: readonly string[]) =>
    change((before) =>
      withFlagSets(
        before,
        ids.map((id) => ({ id, type: 'flag_set' })),
      ),
    );
  const creating = useMutation<FlagSetReply, ApiProblem, string>({
    mutationFn: (name) => call(createFlagSet, { body: { name, workspace: { id: project.id } } }),
    onSuccess: async ({ id, name }) => {
      await refresh();
      set([...selected, id]);
      toast(`Created ${name}.`);
    },
    onError: (problem) => toastFailure(explain(problem)),
  });
  if (!all || (all.length === 0 && !mayEdit)) return null;
  return (
    <ChipsField
      label="Flag sets"
      add="Add to flag set"
      options={all.map(({ id, name, description }) => ({ id, label: name, detail: description }))}
      selected={selected}
      onChange={set}
      create={
        mayCreate ? { label: (name) => `Create flag set ${name}`, make: (name) => creating.mutate(name) } : undefined
      }
      isReadOnly={!mayEdit}
    />
  );
}
