import { ArrowDown, ArrowUp, CopyPlus, Ellipsis, Pencil, Trash2 } from 'lucide-react';
import { type KeyboardEvent, type PointerEvent, Suspense } from 'react';
import { flagsIn, segmentsIn } from '#domain/definitions/conditions.ts';
import { type Rule, segmentsOf } from '#domain/definitions/definition.ts';
import { type Missing, removeMatchersOf } from '#domain/definitions/edit-rules.ts';
import { Bar, Legend } from '../../../kit/Bar.tsx';
import { useProject } from '../../../server/project.ts';
import { lazyPart } from '../../../state/lazy.ts';
import { Condition } from '../../../targeting/Condition.tsx';
import { RuleNumber } from '../../../targeting/Steps.tsx';
import { Button } from '../../../ui/Button.tsx';
import { Menu, MenuItem, MenuLine } from '../../../ui/Menu.tsx';
import { TextLink } from '../../../ui/TextLink.tsx';
import { ruleStep } from '../editing/complaints.ts';
import { useDefinition } from '../editing/editor.ts';
import { useLit } from './lit.ts';
import { NeverReached, TakesTooLong, Warning } from './NeverReached.tsx';
import styles from './RuleStep.module.css';
import { Step } from './Step.tsx';

const RuleEditor = lazyPart('RuleEditor', () => import('./RuleEditor.tsx'));
const SegmentLink = lazyPart('SegmentLink', () => import('../../../targeting/SegmentLink.tsx'));
const SegmentMarks = lazyPart('SegmentMarks', () => import('../../../targeting/SegmentMarks.tsx'));

interface Props {
  readonly rule: Rule;
  readonly index: number;
  readonly isOpen: boolean;
  readonly isChanged: boolean;
  readonly neverReached: string | undefined;
  readonly drop: 'before' | 'behind' | undefined;
  readonly onDragStart: (event: PointerEvent<HTMLElement>, index: number) => void;
  readonly onOpen: () => void;
  readonly onClose: () => void;
  readonly onMove: (to: number) => void;
  readonly onDuplicate: () => void;
  readonly onRemove: () => void;
}

export function RuleStep(props: Props) {
  const { rule, index, isChanged, neverReached, drop, onClose } = props;
  const { order, trafficType, mayEdit, saved, gone, targeting, change } = useDefinition();
  const removeMissing = (missing: Missing) => change((before) => removeMatchersOf(before, index, missing));
  const isOpen = props.isOpen && mayEdit;
  const lead = index === 0 ? 'If' : 'Else if';
  const { slowPattern } = useLit();
  const isSlow = rule.condition.matchers.some(
    ({ type, string }) => type === 'MATCHES_STRING' && string === slowPattern,
  );
  return (
    <Step
      id={ruleStep(index)}
      mark={mayEdit ? <Handle {...props} /> : <RuleNumber>{index + 1}</RuleNumber>}
      isChanged={isChanged}
      isWide={isOpen}
      isEditing={isOpen}
      drop={drop}
      out={
        !isOpen && (
          <>
            <Bar buckets={rule.buckets} order={order} label="" isFaded={saved?.killed ?? false} />
            <Legend buckets={rule.buckets} order={order} />
          </>
        )
      }
      menu={<RuleMenu {...props} />}
    >
      {!isOpen && rule.name !== undefined && <h3 className={styles.name}>{rule.name}</h3>}
      {isOpen ? (
        <Suspense>
          <RuleEditor
            rule={rule}
            index={index}
            lead={lead}
            onClose={onClose}
            onDuplicate={props.onDuplicate}
            onRemove={props.onRemove}
          />
        </Suspense>
      ) : (
        <Condition
          rule={rule}
          lead={lead}
          trafficType={trafficType}
          nameOf={{
            flag: (name) => <FlagName name={name} isGone={gone.has(name)} />,
            segment: (name) => (
              <Suspense fallback={name}>
                <SegmentLink name={name} all={segmentsOf(targeting)} />
              </Suspense>
            ),
          }}
        />
      )}
      <Suspense>
        {!isOpen && (
          <SegmentMarks
            names={segmentsIn([rule])}
            all={segmentsOf(targeting)}
            onRemove={mayEdit ? (name) => removeMissing({ segment: name }) : undefined}
          />
        )}
      </Suspense>
      <NeverReached reason={neverReached} />
      {isSlow && <TakesTooLong />}
      {!isOpen && <GoneFlags rule={rule} onRemove={mayEdit ? (flag) => removeMissing({ flag }) : undefined} />}
    </Step>
  );
}

function FlagName({ name, isGone }: { readonly name: string; readonly isGone: boolean }) {
  const project = useProject();
  const { environment } = useDefinition();
  if (isGone) return <s>{name}</s>;
  return (
    <TextLink
      to="/p/$project/flags/$flag/$environment"
      params={{ project: project.name, flag: name, environment: environment.name }}
    >
      {name}
    </TextLink>
  );
}

interface GoneProps {
  readonly rule: Rule;
  readonly onRemove: ((flag: string) => void) | undefined;
}

/** It blocks nothing else: the rule stays until someone removes it. */
function GoneFlags({ rule, onRemove }: GoneProps) {
  const { gone } = useDefinition();
  const names = new Set(flagsIn([rule]).filter((name) => gone.has(name)));
  return [...names].map((name) => (
    <Warning key={name}>
      The flag {name} no longer exists, so everyone gets control for it.{' '}
      {onRemove && (
        <Button look="link" aria-label={`Remove the condition on ${name}`} onClick={() => onRemove(name)}>
          Remove condition
        </Button>
      )}
    </Warning>
  ));
}

/** The rule's number, which is the drag handle. Alt with an arrow key moves the rule too. */
function Handle({ index, onDragStart, onMove }: Props) {
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (!event.altKey || step === undefined) return;
    event.preventDefault();
    onMove(index + step);
  };
  return (
    <button
      type="button"
      data-mark
      className={styles.handle}
      aria-label={`Rule ${index + 1}: drag, or press Alt and an arrow key, to move`}
      aria-keyshortcuts="Alt+ArrowUp Alt+ArrowDown"
      onPointerDown={(event) => onDragStart(event, index)}
      onKeyDown={onKeyDown}
    >
      {index + 1}
    </button>
  );
}

function RuleMenu({ index, isOpen, onOpen, onMove, onDuplicate, onRemove }: Props) {
  const { targeting, refusal } = useDefinition();
  const label = `Rule ${index + 1}: edit, move, remove`;
  const face = {
    look: 'quiet',
    size: 'tiny',
    'aria-label': label,
    children: <Ellipsis size={15} aria-hidden />,
  } as const;
  if (refusal !== undefined) return <Button {...face} refusal={refusal} />;
  return (
    <Menu label={label} trigger={(trigger) => <Button {...face} {...trigger} />}>
      {!isOpen && (
        <MenuItem icon={Pencil} onSelect={onOpen}>
          Edit
        </MenuItem>
      )}
      <MenuItem icon={ArrowUp} refusal={index === 0 ? 'Already first.' : undefined} onSelect={() => onMove(index - 1)}>
        Move up
      </MenuItem>
      <MenuItem
        icon={ArrowDown}
        refusal={index === targeting.rules.length - 1 ? 'Already last.' : undefined}
        onSelect={() => onMove(index + 1)}
      >
        Move down
      </MenuItem>
      <MenuItem icon={CopyPlus} onSelect={onDuplicate}>
        Duplicate
      </MenuItem>
      <MenuLine />
      <MenuItem icon={Trash2} look="danger" onSelect={onRemove}>
        Remove
      </MenuItem>
    </Menu>
  );
}
