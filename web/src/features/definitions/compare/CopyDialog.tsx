import { useNavigate } from '@tanstack/react-router';
import { lazy, type SubmitEvent, Suspense, useState } from 'react';
import { patchDefinition } from '#contract/definitions.ts';
import { copyParts, type Part, parts } from '#domain/definitions/copy-parts.ts';
import { orderOf, segmentsOf, type Targeting, toTargeting } from '#domain/definitions/definition.ts';
import { differencesBetween } from '#domain/definitions/differences.ts';
import { useFlag } from '../../../server/flag.ts';
import { type Environment, useEnvironments, useProject } from '../../../server/project.ts';
import { useWhyNot } from '../../../server/rights.ts';
import { readDraft, writeDraft } from '../../../state/drafts.ts';
import { DifferenceBox } from '../../../targeting/DifferenceBox.tsx';
import { Button } from '../../../ui/Button.tsx';
import { Modal, ModalBody, ModalFoot } from '../../../ui/Modal.tsx';
import { Notice } from '../../../ui/Notice.tsx';
import { Select } from '../../../ui/Select.tsx';
import { useDialogs } from '../editing/dialogs.ts';
import { useEditor } from '../editing/editor.ts';
import { beginDraft } from '../editing/use-editing.ts';
import { EffectView } from '../review/EffectView.tsx';
import { NewDefinition } from '../review/NewDefinition.tsx';
import { useEffectOf } from '../review/use-effect-of.ts';
import { CopyToSeveral } from './CopyToSeveral.tsx';
import { PartChoices } from './PartChoices.tsx';

/** Loaded late, like everything about segments. */
const SegmentsElsewhere = lazy(() =>
  import('./SegmentsElsewhere.tsx').then((module) => ({ default: module.SegmentsElsewhere })),
);

interface Props {
  readonly from: Targeting;
  readonly onClose: () => void;
}

/** Copies parts of the definition to another environment, as a draft to review there, or to several at once. */
export function CopyDialog({ from, onClose }: Props) {
  const { environment, place, trafficType } = useEditor();
  const { definitions, name: flag, owners } = useFlag();
  const whyNot = useWhyNot();
  const project = useProject();
  const navigate = useNavigate();
  const others = useEnvironments().filter(({ id }) => id !== environment.id);
  const wanted = useDialogs().askedFor('copy');
  const [targetId, setTargetId] = useState((others.find(({ name }) => name === wanted) ?? others[0])?.id ?? '');
  const target = others.find(({ id }) => id === targetId);
  const [chosen, setChosen] = useState<ReadonlySet<Part>>();
  const [isSeveral, setSeveral] = useState(false);
  if (!target) return null;
  if (isSeveral) return <CopyToSeveral from={from} onClose={onClose} />;
  const refusal = whyNot(patchDefinition, { owners, environment: target.id });
  const saved = definitions.find((definition) => definition.environment.id === target.id);
  const targetPlace = { ...place, environment: target.id };
  const draft = readDraft(targetPlace);
  const now = draft?.targeting ?? (saved && toTargeting(saved));
  const isNew = now === undefined;
  // Individual targets rarely make sense in production.
  const usual = parts.filter((part) => part !== 'killed' && (part !== 'targets' || !target.production));
  const ticked = chosen ?? new Set(usual);
  const result = copyParts(from, now, ticked);
  const differences = now ? differencesBetween(now, result) : [];
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const next = { targeting: result, title: `Copy from ${environment.name}` };
    // An existing draft may be based on an older version; the page there rebases it.
    if (draft) writeDraft(targetPlace, { ...draft, ...next });
    else beginDraft(targetPlace, saved, next);
    void navigate({
      to: '/p/$project/flags/$flag/$environment',
      params: { project: project.name, flag, environment: target.name },
      search: { review: '' },
    });
  };
  return (
    <Modal
      title={`Copy from ${environment.name}`}
      about="Creates a draft there. Nothing changes until you review and save it."
      onClose={onClose}
    >
      <form onSubmit={submit}>
        <ModalBody>
          <Select name="target" label="To" value={targetId} onChange={(event) => setTargetId(event.target.value)}>
            {others.map(({ id, name, production }) => (
              <option key={id} value={id}>
                {name}
                {production ? ' (production)' : ''}
              </option>
            ))}
          </Select>
          {others.length > 1 && (
            <div>
              <Button size="small" onClick={() => setSeveral(true)}>
                Copy to several environments
              </Button>
            </div>
          )}
          <PartChoices ticked={ticked} isNew={isNew} onChange={setChosen} />
          <Suspense>
            <SegmentsElsewhere names={segmentsOf(result)} from={environment} to={target} trafficType={trafficType} />
          </Suspense>
          {refusal !== undefined && <Notice kind="plain">{refusal}</Notice>}
          {isNew && (
            <>
              <p>The flag is not defined in {target.name} yet. Saving the draft defines it:</p>
              <NewDefinition targeting={result} />
            </>
          )}
          {!isNew && differences.length === 0 && <p>Nothing would change in {target.name}.</p>}
          {now && differences.length > 0 && <CopyEffect target={target} before={now} after={result} />}
          {differences.map((difference, index) => (
            <DifferenceBox
              // biome-ignore lint/suspicious/noArrayIndexKey: the list is rebuilt each time
              key={index}
              difference={difference}
              order={orderOf(now, result)}
              trafficType={trafficType}
            />
          ))}
        </ModalBody>
        <ModalFoot edge={target.production ? 'production' : 'plain'}>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" refusal={refusal} disabled={!isNew && differences.length === 0}>
            Continue in {target.name}
          </Button>
        </ModalFoot>
      </form>
    </Modal>
  );
}

interface CopyEffectProps {
  readonly target: Environment;
  readonly before: Targeting;
  readonly after: Targeting;
}

const CopyEffect = ({ target, before, after }: CopyEffectProps) => (
  <EffectView
    effect={useEffectOf(target.id, before, after)}
    defaultTreatment={after.defaultTreatment}
    order={orderOf(before, after)}
  />
);
