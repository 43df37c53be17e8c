import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { copyParts, promotedParts } from '#domain/definitions/copy-parts.ts';
import { orderOf, segmentsOf, type Targeting, toTargeting } from '#domain/definitions/definition.ts';
import { differencesBetween } from '#domain/definitions/differences.ts';
import { IntoChangeset } from '../../../changesets/IntoChangeset.tsx';
import { operationOf, usePropose } from '../../../changesets/propose.ts';
import { FormModal } from '../../../kit/FormModal.tsx';
import { useForm } from '../../../kit/form.ts';
import { NoteFields, noteOf, noteRules } from '../../../kit/NoteFields.tsx';
import { useFlag } from '../../../server/flag.ts';
import { type Environment, useProject } from '../../../server/project.ts';
import { useMe } from '../../../server/session.ts';
import { readDraft } from '../../../state/drafts.ts';
import { EffectView } from '../review/EffectView.tsx';
import { refresh } from '../review/save.ts';
import { useEffectOf } from '../review/use-effect-of.ts';
import { PartChoices } from './PartChoices.tsx';
import { SegmentsElsewhere } from './SegmentsElsewhere.tsx';

interface Props {
  readonly from: Environment;
  readonly to: Environment;
  readonly onClose: () => void;
}

/** A changeset that gives an environment what another has, or parts of it. Its page shows what that does. */
export function PromoteDialog({ from, to, onClose }: Props) {
  const flag = useFlag();
  const project = useProject();
  const client = useQueryClient();
  const me = useMe();
  const { collect, open } = usePropose();
  const [into, setInto] = useState('');
  // Individual targets rarely make sense in production.
  const [wanted, setWanted] = useState(promotedParts(to));
  const savedIn = ({ id }: Environment) => flag.definitions.find((definition) => definition.environment.id === id);
  const [source, target] = [savedIn(from), savedIn(to)];
  const now = target && toTargeting(target);
  const after = source && copyParts(toTargeting(source), now, wanted);
  const isSame = now !== undefined && after !== undefined && differencesBetween(now, after).length === 0;
  const isRequired = project.requiresTitleAndComments;
  const isNew = into === '';
  const { form, errors, problem, isSending } = useForm({
    rules: {
      changeset: { check: () => (isSame ? 'Nothing would change. Choose other parts.' : undefined) },
      ...noteRules(isRequired && isNew),
    },
    send: ({ changeset: _, ...values }) => {
      if (!after) throw new Error('there is nothing to promote');
      const draft = { base: now ?? null, targeting: after, etag: target?.etag ?? null };
      return collect(into, [operationOf(draft, { flag: flag.name, environment: to.id })], noteOf(values));
    },
    onDone: (changeset) => {
      onClose();
      return open(changeset, 'This is what it would do. Nothing has changed yet.');
    },
    // Someone changed the target: what is shown here is read again.
    onProblem: ({ status }) => {
      if (status === 412 || status === 409) void refresh(client, { project: project.id, flag: flag.name });
      return false;
    },
  });
  if (!source || !after) return null;
  const hasDraft = readDraft({ person: me.user.id, object: flag.id, environment: from.id }) !== undefined;
  return (
    <FormModal
      title={`Promote ${flag.name} to ${to.name}`}
      about={`Puts what ${from.name} has into a changeset. Its page shows who gets what, and applies it or asks for approval.`}
      size="normal"
      submit={isNew ? 'Create changeset' : 'Add to changeset'}
      edge={to.production ? 'production' : 'plain'}
      {...{ form, problem, isSending, onClose }}
    >
      <PartChoices ticked={wanted} isNew={now === undefined} onChange={setWanted} />
      {hasDraft && <p>Your unsaved changes in {from.name} are not part of it.</p>}
      <SegmentsElsewhere names={segmentsOf(after)} from={from} to={to} trafficType={flag.trafficType.name} />
      {now === undefined && <p>The flag is not defined in {to.name} yet. This defines it.</p>}
      {isSame && <p role="status">Nothing would change in {to.name}.</p>}
      {now && !isSame && <Promoted environment={to} before={now} after={after} />}
      <IntoChangeset
        chosen={into}
        onChoose={setInto}
        place={{ flag: flag.id, environment: to.id }}
        error={errors.changeset}
      />
      {isNew && (
        <NoteFields
          isRequired={isRequired}
          title={`Promote ${flag.name} from ${from.name} to ${to.name}`}
          errors={errors}
        />
      )}
    </FormModal>
  );
}

interface PromotedProps {
  readonly environment: Environment;
  readonly before: Targeting;
  readonly after: Targeting;
}

const Promoted = ({ environment, before, after }: PromotedProps) => (
  <EffectView
    effect={useEffectOf(environment.id, before, after)}
    defaultTreatment={after.defaultTreatment}
    order={orderOf(before, after)}
  />
);
