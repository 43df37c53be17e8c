import { CopyPlus, Ellipsis, Pencil, Trash2 } from 'lucide-react';
import { segmentsIn } from '#domain/definitions/conditions.ts';
import type { Rule } from '#domain/definitions/definition.ts';
import { useProject } from '../../../server/project.ts';
import { Condition } from '../../../targeting/Condition.tsx';
import { ConditionEditor } from '../../../targeting/ConditionEditor.tsx';
import { useRulePlace } from '../../../targeting/rule-place.ts';
import { SegmentLink } from '../../../targeting/SegmentLink.tsx';
import { SegmentMarks } from '../../../targeting/SegmentMarks.tsx';
import { RuleNumber, StepFrame } from '../../../targeting/Steps.tsx';
import { useDone } from '../../../targeting/use-done.ts';
import { Button } from '../../../ui/Button.tsx';
import { Menu, MenuItem, MenuLine } from '../../../ui/Menu.tsx';
import { TextLink } from '../../../ui/TextLink.tsx';
import styles from './Rules.module.css';
import type { RulesEditing } from './use-rules.ts';

interface Props {
  readonly rule: Rule;
  readonly index: number;
  readonly editing: RulesEditing;
  readonly refusal: string | undefined;
  readonly isOpen: boolean;
  readonly isChanged: boolean;
  readonly isAttempted: boolean;
  readonly onOpen: () => void;
  readonly onClose: () => void;
  readonly onDuplicate: () => void;
  readonly onRemove: () => void;
}

/** Keys that match are in the segment. The order of rules has no effect, so they do not move. */
export function RuleStep(props: Props) {
  const { rule, index, editing, refusal, isChanged, isAttempted, onClose } = props;
  const { trafficType } = useRulePlace();
  const lead = index === 0 ? 'If' : 'Or if';
  const isOpen = props.isOpen && refusal === undefined;
  const { editor, isTried, done } = useDone((editing.complaints[index] ?? []).length > 0, onClose);
  const all = segmentsIn(editing.targeting.rules);
  return (
    <StepFrame
      id={`rule ${index}`}
      mark={<RuleNumber>{index + 1}</RuleNumber>}
      isWide
      isChanged={isChanged}
      isAttempted={isAttempted}
      // An open rule says them at their fields.
      complaints={isOpen ? [] : (editing.complaints[index] ?? [])}
      menu={<RuleMenu {...props} isOpen={isOpen} />}
    >
      {isOpen ? (
        <div className={styles.editor} ref={editor}>
          <ConditionEditor
            lead={lead}
            rules={editing.targeting.rules}
            index={index}
            isAttempted={isAttempted || isTried}
            change={editing.change}
          />
          <div>
            <Button size="small" onClick={done}>
              Done
            </Button>
          </div>
        </div>
      ) : (
        <>
          <Condition
            rule={rule}
            lead={lead}
            trafficType={trafficType}
            nameOf={{
              flag: (name) => <FlagLink name={name} />,
              segment: (name) => <SegmentLink name={name} all={all} />,
            }}
          />
          <SegmentMarks names={segmentsIn([rule])} all={all} />
        </>
      )}
    </StepFrame>
  );
}

function FlagLink({ name }: { readonly name: string }) {
  const params = { project: useProject().name, flag: name, environment: useRulePlace().environment.name };
  return (
    <TextLink to="/p/$project/flags/$flag/$environment" params={params}>
      {name}
    </TextLink>
  );
}

function RuleMenu({ index, isOpen, refusal, onOpen, onDuplicate, onRemove }: Props) {
  const label = `Rule ${index + 1}: edit, remove`;
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
