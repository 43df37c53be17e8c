import type { EditorView } from '@codemirror/view';
import { useMemo, useRef } from 'react';
import type { Targeting } from '#domain/definitions/definition.ts';
import { mergeTargetings } from '#domain/definitions/merge.ts';
import { equalJson } from '#domain/json.ts';
import { ApiProblem, complaintsOf } from '../../../server/api-problem.ts';
import { useFlag } from '../../../server/flag.ts';
import type { Environment } from '../../../server/project.ts';
import { readDraft, writeDraft } from '../../../state/drafts.ts';
import { Button } from '../../../ui/Button.tsx';
import type { Editing } from '../editing/use-editing.ts';
import { CodeEditor } from './CodeEditor.tsx';
import styles from './JsonEditor.module.css';
import { placeInJson } from './json-places.ts';
import { inOneOrder } from './member-order.ts';
import { readDefinition } from './read-definition.ts';

interface Props {
  readonly editing: Editing;
  readonly environment: Environment;
  readonly isReadOnly: boolean;
  /** Held by the page, so that it survives a switch to another tab. */
  readonly typed: Typed | undefined;
  readonly setTyped: (typed: Typed) => void;
}

/** The typed text and its parsed value, which is missing while the text is invalid. */
export interface Typed {
  readonly text: string;
  readonly targeting: Targeting | undefined;
  readonly complaints: readonly string[];
  /** The draft when the text was last valid. Others may save while it is invalid. */
  readonly start: Targeting | undefined;
}

const pretty = (targeting: Targeting | undefined): string => JSON.stringify(inOneOrder(targeting), null, 2);

const noComplaints: readonly string[] = [];

/** Validated with the server's own parser. Valid text becomes the draft immediately. */
export function JsonEditor({ editing: { place, targeting, change }, environment, isReadOnly, typed, setTyped }: Props) {
  const flag = useFlag();
  const view = useRef<EditorView>(null);
  // Keeps the typed text unless the draft has changed elsewhere.
  const isCurrent = typed && (!typed.targeting || equalJson(typed.targeting, targeting));
  const text = isCurrent ? typed.text : pretty(targeting);
  const complaints = isCurrent ? typed.complaints : noComplaints;
  const faults = useMemo(() => complaints.map((words) => ({ words, ...placeInJson(text, words) })), [complaints, text]);
  const use = (mine: Targeting, start: Targeting) => {
    if (!targeting || equalJson(start, targeting)) return change(() => mine);
    const merged = mergeTargetings({ base: start, theirs: targeting, mine });
    change(() => merged.targeting);
    const draft = readDraft(place);
    if (draft) writeDraft(place, { ...draft, conflicts: [...draft.conflicts, ...merged.conflicts] });
  };
  const type = (next: string) => {
    const read = readOf(next, flag.name);
    const start = isCurrent ? typed.start : targeting;
    setTyped({ text: next, ...read, start: read.targeting ?? start });
    if (read.targeting && start) use(read.targeting, start);
  };
  const show = (offset: number) => {
    view.current?.focus();
    view.current?.dispatch({ selection: { anchor: offset }, scrollIntoView: true });
  };
  return (
    <div className={styles.editor}>
      <CodeEditor
        label={`Definition in ${environment.name} as JSON`}
        text={text}
        isReadOnly={isReadOnly}
        faults={faults}
        onType={type}
        view={view}
      />
      <div className={styles.foot}>
        <div role="status" className={styles.complaints}>
          {complaints.length === 0 ? (
            <p className={styles.fine}>Valid definition.</p>
          ) : (
            <>
              <p className={styles.wrong}>Not applied yet:</p>
              <ul>
                {faults.map(({ words, line, offset }) => (
                  <li key={words}>
                    <button type="button" className={styles.complaint} onClick={() => show(offset)}>
                      Line {line}: {words}
                    </button>
                  </li>
                ))}
              </ul>
            </>
          )}
        </div>
        <Button size="small" disabled={isReadOnly || complaints.length > 0} onClick={() => type(pretty(targeting))}>
          Format
        </Button>
      </div>
    </div>
  );
}

function readOf(text: string, flag: string): Pick<Typed, 'targeting' | 'complaints'> {
  try {
    return { targeting: readDefinition(text, flag), complaints: [] };
  } catch (problem) {
    if (problem instanceof ApiProblem) return { targeting: undefined, complaints: complaintsOf(problem) };
    throw problem;
  }
}
