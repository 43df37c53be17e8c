import { useRef, useState } from 'react';
import { deleteDefinition } from '#contract/definitions.ts';
import { listFlags } from '#contract/flags.ts';
import { countOf } from '../../administration/count.ts';
import { FormModal } from '../../kit/FormModal.tsx';
import { useForm } from '../../kit/form.ts';
import { NoteFields, noteOf, noteRules } from '../../kit/NoteFields.tsx';
import { call } from '../../server/api.ts';
import type { ApiProblem } from '../../server/api-problem.ts';
import { type Environment, useProject } from '../../server/project.ts';
import { toast } from '../../state/toasts.ts';
import { Button } from '../../ui/Button.tsx';
import { Field } from '../../ui/Field.tsx';
import { useRefreshEverything } from './environment-changes.ts';
import { removeAll } from './remove-all.ts';

interface Props {
  readonly environment: Environment;
  /** Number of definitions. */
  readonly total: number;
  readonly onClose: () => void;
}

/** Removes every definition in an environment, so that it can be deleted. */
export function EmptyEnvironmentDialog({ environment, total, onClose }: Props) {
  const project = useProject();
  const refresh = useRefreshEverything();
  const isRequired = project.requiresTitleAndComments;
  const [count, setCount] = useState(0);
  // The number at the start; the current number shrinks while it runs.
  const [all] = useState(total);
  const isStopped = useRef(false);
  const params = { project: project.id, environment: environment.id };
  const { form, errors, problem, isSending } = useForm({
    rules: {
      word: { check: (value) => (value.trim() === environment.name ? undefined : `Type ${environment.name}`) },
      ...noteRules(isRequired),
    },
    send: async ({ title, comment }) => {
      isStopped.current = false;
      return removeAll({
        list: definedFlags(project.id, environment.id),
        remove: ({ name }) =>
          call(deleteDefinition, { params: { ...params, flag: name }, query: noteOf({ title, comment }) }).catch(
            ifGone,
          ),
        onRemoved: setCount,
        isStopped: () => isStopped.current,
      }).finally(refresh);
    },
    onDone: (removed) => {
      onClose();
      toast(`Removed ${countOf(removed, 'definition')} from ${environment.name}.`);
    },
  });
  return (
    <FormModal
      kind="alert"
      title={`Remove ${countOf(all, 'definition')} from ${environment.name}?`}
      about={
        <>
          Treatments, targets and rules of every flag in {environment.name} are deleted, and everyone there gets{' '}
          <code>control</code>. The flags and their other environments are not affected. Each flag can be restored in{' '}
          {environment.name} on its own page, while the environment exists.
        </>
      }
      form={form}
      problem={problem}
      isSending={isSending}
      submit="Remove definitions"
      look="danger-fill"
      aside={
        isSending && (
          <Button
            onClick={() => {
              isStopped.current = true;
            }}
          >
            Stop
          </Button>
        )
      }
      onClose={onClose}
    >
      <Field
        name="word"
        label={`Type ${environment.name} to confirm`}
        autoComplete="off"
        spellCheck={false}
        error={errors.word}
        autoFocus
      />
      {isRequired && <NoteFields isRequired title={`Empty ${environment.name}`} errors={errors} />}
      {isSending && (
        <p role="status">
          {count} of {all} removed
        </p>
      )}
    </FormModal>
  );
}

/** Reads on from page to page: flags stay in the list when their definitions go. Definitions can be large, summaries not. */
function definedFlags(project: string, environmentId: string) {
  let offset = 0;
  return async () => {
    for (;;) {
      const query = { expand: 'environments' as const, limit: listFlags.pageSize.max, offset };
      const { objects } = await call(listFlags, { params: { project }, query });
      offset += objects.length;
      const defined = objects.filter(({ definitions = [] }) =>
        definitions.some(({ environment }) => environment.id === environmentId),
      );
      if (defined.length > 0 || objects.length === 0) return defined;
    }
  };
}

/** Someone else already removed it. */
const ifGone = (problem: ApiProblem) => {
  if (problem.status !== 404) throw problem;
};
