import { Pencil } from 'lucide-react';
import { useState } from 'react';
import { setKeys, setSegments } from '#domain/definitions/edit-treatments.ts';
import { excluded } from '#domain/segment-targeting.ts';
import { Token } from '../../../targeting/Condition.tsx';
import { KeysField } from '../../../targeting/KeysField.tsx';
import { SegmentLink } from '../../../targeting/SegmentLink.tsx';
import { SegmentMarks } from '../../../targeting/SegmentMarks.tsx';
import { SegmentsField } from '../../../targeting/SegmentsField.tsx';
import { StepFrame, StepMark } from '../../../targeting/Steps.tsx';
import { Button } from '../../../ui/Button.tsx';
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
      mark={<StepMark />}
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
            <Token key={name}>
              <SegmentLink name={name} all={segments} />
            </Token>
          ))}
        </p>
      )}
      <SegmentMarks names={segments} />
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
        label="Segments"
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
