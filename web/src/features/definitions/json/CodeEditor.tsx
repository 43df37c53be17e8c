/** CodeMirror for JSON. Its own chunk: nothing else loads it. */
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { json } from '@codemirror/lang-json';
import { bracketMatching, foldGutter, foldKeymap, HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { type Diagnostic, lintGutter, lintKeymap, setDiagnostics } from '@codemirror/lint';
import { highlightSelectionMatches, search, searchKeymap } from '@codemirror/search';
import { EditorState, type Extension } from '@codemirror/state';
import { EditorView, highlightActiveLineGutter, keymap, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { type RefObject, useEffect, useEffectEvent, useRef } from 'react';
import styles from './CodeEditor.module.css';

interface Props {
  readonly label: string;
  readonly text: string;
  readonly isReadOnly: boolean;
  readonly faults?: readonly Fault[];
  readonly onType?: (text: string) => void;
  /** Set while it is on the page. */
  readonly view?: RefObject<EditorView | null>;
}

export interface Fault {
  readonly offset: number;
  readonly words: string;
}

const noFaults: readonly Fault[] = [];

export function CodeEditor({ label, text, isReadOnly, faults = noFaults, onType, view }: Props) {
  const host = useRef<HTMLDivElement>(null);
  const own = useRef<EditorView>(null);
  const start = useEffectEvent(() => text);
  const type = useEffectEvent((typed: string) => {
    if (typed !== text) onType?.(typed);
  });
  useEffect(() => {
    const element = host.current as HTMLDivElement;
    // In a shadow root, CodeMirror adopts a style sheet. In the page it would add a style tag, which the
    // Content-Security-Policy blocks.
    const root = element.shadowRoot ?? element.attachShadow({ mode: 'open' });
    const editor = new EditorView({
      root,
      parent: root,
      doc: start(),
      extensions: [
        extensions,
        EditorState.readOnly.of(isReadOnly),
        EditorView.contentAttributes.of({
          'aria-label': label,
          'aria-description': isReadOnly ? '' : leaving,
          tabindex: '0',
        }),
        EditorView.updateListener.of(({ docChanged, state }) => {
          if (docChanged) type(state.doc.toString());
        }),
      ],
    });
    own.current = editor;
    if (view) view.current = editor;
    return () => editor.destroy();
  }, [label, isReadOnly, view]);
  useEffect(() => {
    const { state } = own.current as EditorView;
    if (state.doc.toString() !== text)
      own.current?.dispatch({ changes: { from: 0, to: state.doc.length, insert: text } });
  }, [text]);
  useEffect(() => {
    const { state } = own.current as EditorView;
    own.current?.dispatch(
      setDiagnostics(
        state,
        faults.map((fault) => toDiagnostic(state, fault)),
      ),
    );
  }, [faults]);
  return (
    <>
      <div ref={host} className={styles.host} />
      {!isReadOnly && <p className={styles.hint}>{leaving}</p>}
    </>
  );
}

const leaving = 'Tab indents. To leave the editor, press Escape, then Tab. Ctrl F (⌘ F) searches.';

/** Marked to the end of the line at most: an object can be long. */
function toDiagnostic({ doc }: EditorState, { offset, words }: Fault): Diagnostic {
  const from = Math.min(offset, doc.length);
  return { from, to: doc.lineAt(from).to, severity: 'error', message: words };
}

const colours = HighlightStyle.define([
  { tag: tags.propertyName, color: 'var(--accent)' },
  { tag: tags.string, color: 'var(--ok)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--warn)' },
  { tag: [tags.separator, tags.squareBracket, tags.brace], color: 'var(--text-3)' },
]);

const theme = EditorView.theme({
  '&': {
    maxHeight: '70vh',
    border: '1px solid var(--control-line)',
    borderRadius: 'var(--r-lg)',
    overflow: 'hidden',
    background: 'var(--surface)',
    color: 'var(--text)',
    fontSize: '12.5px',
  },
  '&.cm-focused': { outline: '2px solid var(--accent)', outlineOffset: '-1px' },
  '.cm-scroller': { font: '12.5px / 1.6 var(--mono)', fontVariantLigatures: 'none', minHeight: '320px' },
  '.cm-content': { padding: '12px 0', caretColor: 'var(--text)' },
  '.cm-gutters': { background: 'var(--sunken)', color: 'var(--text-3)', borderRight: '1px solid var(--line)' },
  '.cm-activeLineGutter': { background: 'var(--selected)', color: 'var(--text)' },
  '.cm-foldGutter .cm-gutterElement': { padding: '0 4px', cursor: 'pointer' },
  '.cm-foldPlaceholder': {
    border: '1px solid var(--line-strong)',
    background: 'var(--sunken)',
    color: 'var(--text-2)',
    padding: '0 6px',
  },
  '&.cm-focused .cm-matchingBracket': { background: 'none', outline: '1px solid var(--control-line)' },
  '&.cm-focused .cm-nonmatchingBracket': { background: 'none', outline: '1px solid var(--danger)' },
  '.cm-selectionMatch': { background: 'var(--selected)' },
  '.cm-searchMatch': { background: 'var(--warn-soft)', outline: '1px solid var(--warn-line)' },
  '.cm-searchMatch-selected': { background: 'var(--warn-soft)', outline: '2px solid var(--warn)' },
  // Text and borders instead of the pictures in CodeMirror's own styles, so that contrast themes show them too.
  '.cm-lintRange-error': { backgroundImage: 'none', textDecoration: 'underline wavy var(--danger)' },
  '.cm-lintPoint-error::after': { borderBottomColor: 'var(--danger)' },
  '.cm-gutter-lint': { width: '16px' },
  '.cm-gutter-lint .cm-gutterElement': { padding: '6px 4px' },
  '.cm-lint-marker-error': {
    content: 'normal',
    width: '0',
    height: '0',
    border: '4px solid var(--danger)',
    borderRadius: '50%',
  },
  '.cm-tooltip': { border: '1px solid var(--line-strong)', background: 'var(--raised)', color: 'var(--text)' },
  '.cm-diagnostic-error': { borderLeftColor: 'var(--danger)' },
  '.cm-panels': { background: 'var(--sunken)', color: 'var(--text)', font: 'var(--fs-sm) var(--sans)' },
  '.cm-panels.cm-panels-bottom': { borderTop: '1px solid var(--line)' },
  '.cm-panel.cm-search': { padding: '8px 36px 8px 12px' },
  '.cm-panel.cm-search label': { display: 'inline-flex', alignItems: 'center', gap: '4px', minHeight: '28px' },
  '.cm-textfield, .cm-button': {
    minHeight: '28px',
    border: '1px solid var(--control-line)',
    borderRadius: 'var(--r-sm)',
    backgroundImage: 'none',
    backgroundColor: 'var(--surface)',
    color: 'var(--text)',
    font: 'var(--fs-sm) var(--sans)',
  },
  '.cm-button:hover': { backgroundColor: 'var(--hover)' },
  '.cm-panel :focus-visible': { outline: '2px solid var(--accent)', outlineOffset: '1px' },
  '.cm-panel.cm-search [name=close]': {
    width: '28px',
    height: '28px',
    top: '8px',
    right: '6px',
    color: 'var(--text-2)',
  },
});

/** Until the focus leaves, however long that takes: CodeMirror alone allows two seconds. */
const escapeFreesTab = keymap.of([
  {
    key: 'Escape',
    run: (view) => {
      view.setTabFocusMode(true);
      return false;
    },
  },
]);
const tabIndentsAgain = EditorView.domEventHandlers({
  blur: (_event, view) => view.setTabFocusMode(false),
});

const extensions: Extension = [
  escapeFreesTab,
  tabIndentsAgain,
  lintGutter(),
  lineNumbers(),
  foldGutter(),
  highlightActiveLineGutter(),
  history(),
  bracketMatching(),
  highlightSelectionMatches(),
  search(),
  json(),
  syntaxHighlighting(colours),
  theme,
  keymap.of([indentWithTab, ...searchKeymap, ...historyKeymap, ...foldKeymap, ...lintKeymap, ...defaultKeymap]),
];
