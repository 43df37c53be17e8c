import { useQuery } from '@tanstack/react-query';
import { Pencil } from 'lucide-react';
import { useDeferredValue, useState } from 'react';
import { listSegments } from '#contract/segments.ts';
import { setKeys, setSegments } from '#domain/definitions/edit-treatments.ts';
import { excluded } from '#domain/segment-targeting.ts';
import { reading } from '../../../server/api.ts';
import { useProject } from '../../../server/project.ts';
import { Token } from '../../../targeting/Condition.tsx';
import { KeysField } from '../../../targeting/KeysField.tsx';
import { useRulePlace } from '../../../targeting/rule-place.ts';
import { StepFrame, StepNumber } from '../../../targeting/Steps.tsx';
import { Button } from '../../../ui/Button.tsx';
import { ChipsField } from '../../../ui/ChipsField.tsx';
import { TextLink } from '../../../ui/TextLink.tsx';
import styles from './Rules.module.css';
import type { RulesEditing } from './use-rules.ts';

interface Props {
  readonly editing: RulesEditing;
  readonly refusal: string | undefined;
}

/** Keys shown before "N more". */
const maxShown = 20;

/** Keys and segments that are not in the segment, whatever the rules say. */
export function ExcludedStep({ editing, refusal }: Props) {
  const [isOpened, setOpen] = useState(false);
  const isOpen = isOpened && refusal === undefined;
  const isChanged = editing.differences.some(({ kind }) => kind === 'keys' || kind === 'segments');
  return (
    <StepFrame
      id="targets"
      mark={<StepNumber>{1}</StepNumber>}
      isWide
      isChanged={isChanged}
      complaints={[]}
      isAttempted={false}
      menu={
        !isOpen && (
          <Button look="quiet" size="tiny" aria-label="Edit excluded" refusal={refusal} onClick={() => setOpen(true)}>
            <Pencil size={14} aria-hidden />
          </Button>
        )
      }
    >
      <h3 className={styles.title}>Excluded</h3>
      {isOpen ? <Editor editing={editing} onClose={() => setOpen(false)} /> : <Shown editing={editing} />}
    </StepFrame>
  );
}

const excludedIn = ({ targeting: { treatments } }: RulesEditing) => {
  const { keys = [], segments = [] } = treatments[0] ?? {};
  return { keys, segments };
};

function Shown({ editing }: { readonly editing: RulesEditing }) {
  const project = useProject();
  const { environment } = useRulePlace();
  const { keys, segments } = excludedIn(editing);
  if (keys.length + segments.length === 0) return <p className={styles.note}>No keys and no segments are excluded.</p>;
  return (
    <>
      {keys.length > 0 && (
        <p className={styles.row}>
          <span className={styles.note}>{keys.length === 1 ? 'Key' : 'Keys'}</span>
          {keys.slice(0, maxShown).map((key) => (
            <Token key={key}>{key}</Token>
          ))}
          {keys.length > maxShown && <span className={styles.note}>and {keys.length - maxShown} more</span>}
        </p>
      )}
      {segments.length > 0 && (
        <p className={styles.row}>
          <span className={styles.note}>Everyone in {segments.length === 1 ? 'segment' : 'segments'}</span>
          {segments.map((name) => (
            <TextLink
              key={name}
              to="/p/$project/segments/$segment/$environment"
              params={{ project: project.name, segment: name, environment: environment.name }}
            >
              <span className="mono">{name}</span>
            </TextLink>
          ))}
        </p>
      )}
    </>
  );
}

function Editor({ editing, onClose }: { readonly editing: RulesEditing; readonly onClose: () => void }) {
  const { keys, segments } = excludedIn(editing);
  return (
    <div className={styles.editor}>
      <KeysField
        label="Keys"
        name="excluded"
        keys={keys}
        isFirst
        onChange={(next) => editing.change((before) => setKeys(before, excluded, next))}
      />
      <SegmentsField
        selected={segments}
        onChange={(next) => editing.change((before) => setSegments(before, excluded, next))}
      />
      <div>
        <Button size="small" onClick={onClose}>
          Done
        </Button>
      </div>
    </div>
  );
}

interface FieldProps {
  readonly selected: readonly string[];
  readonly onChange: (names: string[]) => void;
}

function SegmentsField({ selected, onChange }: FieldProps) {
  const { segment: self } = useRulePlace();
  const [text, setText] = useState('');
  const name = useDeferredValue(text);
  const { data } = useQuery(
    reading(listSegments, {
      params: { project: useProject().id },
      query: { kind: 'all', name: name || undefined, limit: 50 },
    }),
  );
  const found = (data?.objects ?? []).map((one) => one.name).filter((one) => one !== self);
  return (
    <ChipsField
      label="Segments"
      options={[...new Set([...found, ...selected])].map((id) => ({ id, label: id }))}
      selected={selected}
      onChange={onChange}
      onSearch={setText}
      add="Add segment"
      hint="Everyone in one of them is not in this segment."
    />
  );
}
