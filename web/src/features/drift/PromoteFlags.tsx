import { useState } from 'react';
import { getFlag } from '#contract/flags.ts';
import { maxChangesetOperations, type NewOperation } from '#domain/changesets.ts';
import { copyParts, promotedParts } from '#domain/definitions/copy-parts.ts';
import { toTargeting } from '#domain/definitions/definition.ts';
import { differencesBetween } from '#domain/definitions/differences.ts';
import { countOf } from '../../administration/count.ts';
import { IntoChangeset } from '../../changesets/IntoChangeset.tsx';
import { operationOf, usePropose } from '../../changesets/propose.ts';
import { FormModal } from '../../kit/FormModal.tsx';
import { useForm } from '../../kit/form.ts';
import { NoteFields, noteOf, noteRules } from '../../kit/NoteFields.tsx';
import { call } from '../../server/api.ts';
import { type Environment, useProject } from '../../server/project.ts';
import { Notice } from '../../ui/Notice.tsx';

interface Props {
  /** Names. */
  readonly flags: readonly string[];
  readonly from: Environment;
  readonly to: Environment;
  readonly onClose: () => void;
}

/** Flags are read with their versions, which no list has. Browsers open about six connections. */
const atOnce = 6;

/** One changeset that gives an environment what another has, for several flags. Its page shows what that does. */
export function PromoteFlags({ flags, from, to, onClose }: Props) {
  const project = useProject();
  const { collect, open } = usePropose();
  const [into, setInto] = useState('');
  const [isNothing, setNothing] = useState(false);
  const isNew = into === '';
  const isRequired = project.requiresTitleAndComments;
  // The same parts as for one flag, unless others are chosen there.
  const wanted = promotedParts(to);
  const operationFor = async (name: string): Promise<NewOperation[]> => {
    const flag = await call(getFlag, { params: { project: project.id, flag: name }, query: { expand: 'definitions' } });
    const savedIn = ({ id }: Environment) => flag.definitions?.find(({ environment }) => environment.id === id);
    const [source, target] = [savedIn(from), savedIn(to)];
    if (!source) return [];
    const now = target && toTargeting(target);
    const targeting = copyParts(toTargeting(source), now, wanted);
    if (now && differencesBetween(now, targeting).length === 0) return [];
    const draft = { base: now ?? null, targeting, etag: target?.etag ?? null };
    return [operationOf(draft, { flag: name, environment: to.id })];
  };
  const { form, errors, problem, isSending } = useForm({
    rules: {
      changeset: {
        check: () =>
          flags.length > maxChangesetOperations
            ? `A changeset has at most ${maxChangesetOperations} operations. Select fewer flags.`
            : undefined,
      },
      ...noteRules(isRequired && isNew),
    },
    send: async ({ changeset: _, ...values }) => {
      const operations: NewOperation[] = [];
      for (let next = 0; next < flags.length; next += atOnce) {
        operations.push(...(await Promise.all(flags.slice(next, next + atOnce).map(operationFor))).flat());
      }
      return operations.length === 0 ? undefined : collect(into, operations, noteOf(values));
    },
    onDone: (changeset) => {
      if (!changeset) return setNothing(true);
      onClose();
      return open(changeset, 'This is what it would do. Nothing has changed yet.');
    },
  });
  return (
    <FormModal
      title={`Promote ${flags.length === 1 ? flags[0] : `${flags.length} flags`} to ${to.name}`}
      about={`Puts what ${from.name} has into one changeset. Its page shows who gets what, and applies all of it or asks for approval.`}
      submit={isNew ? 'Create changeset' : 'Add to changeset'}
      edge={to.production ? 'production' : 'plain'}
      {...{ form, problem, isSending, onClose }}
    >
      <p>
        Whether a flag is killed stays as it is{to.production && ', and so do individual targets'}. To choose other
        parts, promote a flag from its own comparison.
      </p>
      {isNothing && (
        <Notice kind="plain">Nothing would change in {to.name}: what differs is not promoted from here.</Notice>
      )}
      <IntoChangeset chosen={into} onChoose={setInto} error={errors.changeset} />
      {isNew && (
        <NoteFields
          isRequired={isRequired}
          title={`Promote ${flags.length === 1 ? flags[0] : countOf(flags.length, 'flag')} from ${from.name} to ${to.name}`}
          errors={errors}
        />
      )}
    </FormModal>
  );
}
