import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { createDefinition, replaceDefinition } from '#contract/definitions.ts';
import { copyParts, type Part, parts } from '#domain/definitions/copy-parts.ts';
import { type Targeting, toTargeting } from '#domain/definitions/definition.ts';
import { differencesBetween } from '#domain/definitions/differences.ts';
import { countOf } from '../../../administration/count.ts';
import { explain } from '../../../kit/explain.ts';
import { FormModal } from '../../../kit/FormModal.tsx';
import { useForm } from '../../../kit/form.ts';
import { NoteFields, noteOf, noteRules } from '../../../kit/NoteFields.tsx';
import { ProdChip } from '../../../kit/StatusChip.tsx';
import { call } from '../../../server/api.ts';
import type { ApiProblem } from '../../../server/api-problem.ts';
import { useFlag } from '../../../server/flag.ts';
import { useEnvironments, useProject } from '../../../server/project.ts';
import { useWhyNot } from '../../../server/rights.ts';
import { toast, toastFailure } from '../../../state/toasts.ts';
import { effectLine } from '../../../targeting/effect-words.ts';
import { Checkbox, Choices } from '../../../ui/Checkbox.tsx';
import { useEditor } from '../editing/editor.ts';
import { afterChange, refresh } from '../review/save.ts';
import { useEffectOf } from '../review/use-effect-of.ts';
import { PartChoices, withOrWithout } from './PartChoices.tsx';

interface Props {
  readonly from: Targeting;
  readonly onClose: () => void;
}

/**
 * Saves the copies at once, one request for each environment: a draft in each would take as many reviews. Each requires
 * that the definition has not changed since the page read it. Drafts there stay.
 */
export function CopyToSeveral({ from, onClose }: Props) {
  const { environment } = useEditor();
  const others = useEnvironments().filter(({ id }) => id !== environment.id);
  const [targetIds, setTargetIds] = useState<ReadonlySet<string>>(new Set());
  // Individual targets rarely make sense elsewhere.
  const [wanted, setWanted] = useState<ReadonlySet<Part>>(
    new Set(parts.filter((part) => part !== 'killed' && part !== 'targets')),
  );
  const flag = useFlag();
  const project = useProject();
  const client = useQueryClient();
  const whyNot = useWhyNot();
  const all = others.map((target) => {
    const saved = flag.definitions.find((definition) => definition.environment.id === target.id);
    const now = saved && toTargeting(saved);
    const after = copyParts(from, now, wanted);
    const refusal = whyNot(saved ? replaceDefinition : createDefinition, {
      owners: flag.owners,
      environment: target.id,
    });
    const isSame = now !== undefined && differencesBetween(now, after).length === 0;
    return { target, saved, now, after, refusal, isSame };
  });
  const chosen = all.filter(({ target, refusal }) => targetIds.has(target.id) && refusal === undefined);
  const changing = chosen.filter(({ isSame }) => !isSame);
  const isRequired = project.requiresTitleAndComments;
  const { form, errors, problem, isSending } = useForm({
    rules: {
      targets: { check: () => (changing.length > 0 ? undefined : 'Choose environments where something changes.') },
      ...noteRules(isRequired),
    },
    send: async ({ targets: _, ...values }) => {
      const answers = await Promise.allSettled(
        changing.map(({ target, saved, after: body }) => {
          const params = { project: project.id, flag: flag.name, environment: target.id };
          const query = noteOf(values);
          return saved
            ? call(replaceDefinition, { params, query, body, ifMatch: saved.etag })
            : call(createDefinition, { params, query, body });
        }),
      );
      const failed = answers.flatMap((answer, index) =>
        answer.status === 'rejected'
          ? [{ name: changing[index]?.target.name, problem: answer.reason as ApiProblem }]
          : [],
      );
      const [first] = failed;
      if (first && failed.length === changing.length) throw first.problem;
      return failed;
    },
    onDone: async (failed) => {
      await refresh(client, { project: project.id, flag: flag.name });
      afterChange(client);
      onClose();
      toast(`Copied to ${countOf(changing.length - failed.length, 'environment')}.`);
      for (const one of failed) toastFailure(`Not copied to ${one.name}: ${explain(one.problem)}`);
    },
  });
  return (
    <FormModal
      title={`Copy from ${environment.name}`}
      about="Changes all of these environments at once, without a draft."
      size="normal"
      form={form}
      problem={problem}
      isSending={isSending}
      submit={changing.length === 0 ? 'Copy' : `Copy to ${countOf(changing.length, 'environment')}`}
      edge={changing.some(({ target }) => target.production) ? 'production' : 'plain'}
      onClose={onClose}
    >
      <PartChoices ticked={wanted} isNew={false} onChange={setWanted} />
      <Choices label="To" error={errors.targets}>
        {all.map(({ target, now, after, refusal, isSame }) => (
          <Checkbox
            key={target.id}
            label={
              <>
                {target.name} {target.production && <ProdChip />}
              </>
            }
            disabled={refusal !== undefined}
            checked={targetIds.has(target.id)}
            onChange={({ target: box }) => setTargetIds(withOrWithout(targetIds, target.id, box.checked))}
            hint={
              refusal ??
              (now === undefined ? (
                'Not defined yet. This defines it, without individual targets.'
              ) : isSame ? (
                'Nothing changes.'
              ) : (
                <Outcome environment={target.id} before={now} after={after} />
              ))
            }
          />
        ))}
      </Choices>
      <NoteFields isRequired={isRequired} title={`Copy from ${environment.name}`} errors={errors} />
    </FormModal>
  );
}

interface OutcomeProps {
  readonly environment: string;
  readonly before: Targeting;
  readonly after: Targeting;
}

const Outcome = ({ environment, before, after }: OutcomeProps) =>
  effectLine(useEffectOf(environment, before, after), after.defaultTreatment);
