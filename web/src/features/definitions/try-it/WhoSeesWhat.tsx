import { ArrowRight } from 'lucide-react';
import { useEffect, useId, useRef, useState } from 'react';
import { parseKey } from '#domain/evaluation/evaluate.ts';
import { Swatch } from '../../../kit/Bar.tsx';
import { usePageActions } from '../../../state/page-actions.ts';
import fieldStyles from '../../../ui/Field.module.css';
import { type AttributeKind, kindsOfAttributes } from '../editing/attributes.ts';
import { useDefinition } from '../editing/editor.ts';
import { wordsOf } from '../ladder/step-words.ts';
import { asked, type Probe } from './probe.ts';
import styles from './WhoSeesWhat.module.css';

/** Evaluates a key: its treatment now and after saving, and which step decides. */
export function WhoSeesWhat({ probe }: { readonly probe: Probe }) {
  const { trafficType, savedTargeting, targeting } = useDefinition();
  const { key } = asked.use();
  const id = useId();
  const field = useRef<HTMLInputElement>(null);
  const kinds = [...kindsOfAttributes(targeting, savedTargeting)];
  usePageActions([{ label: 'Try a key: who sees what', keys: 't', run: () => field.current?.focus() }]);
  return (
    <section className={styles.panel} aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`} className={styles.title}>
        Who sees what
      </h2>
      <label className="sr" htmlFor={id}>
        {trafficType} key
      </label>
      <input
        ref={field}
        id={id}
        className={`${fieldStyles.input} ${fieldStyles.name}`}
        placeholder={`Enter a ${trafficType} key`}
        spellCheck={false}
        autoCapitalize="off"
        autoComplete="off"
        value={key}
        onChange={({ target }) => asked.set({ ...asked.get(), key: target.value })}
      />
      {kinds.length > 0 && parseKey(key) !== undefined && (
        <div className={styles.attributes}>
          {kinds.map(([name, kind]) => (
            <Attribute key={name} name={name} kind={kind} />
          ))}
        </div>
      )}
      <Verdict {...probe} />
    </section>
  );
}

const examples: Readonly<Record<AttributeKind, string>> = {
  text: '',
  number: '18',
  date: '2025-11-12 09:30',
  list: 'one, two',
  boolean: 'true',
  version: '1.2.3',
};

function Attribute({ name, kind }: { readonly name: string; readonly kind: AttributeKind }) {
  const { attributes } = asked.use();
  return (
    <label className={styles.attribute}>
      <span className={styles.attributeName}>{name}</span>
      <input
        className={styles.attributeValue}
        placeholder={examples[kind]}
        spellCheck={false}
        autoCapitalize="off"
        autoComplete="off"
        value={attributes[name] ?? ''}
        onChange={({ target }) => {
          const now = asked.get();
          asked.set({ ...now, attributes: { ...now.attributes, [name]: target.value } });
        }}
      />
    </label>
  );
}

function Verdict({ before, after, slowPattern }: Probe) {
  const { order, targeting, savedTargeting, trafficType, saved, complaints } = useDefinition();
  const { key } = asked.use();
  const shown = after ?? before;
  const setting = {
    targeting: after ? targeting : (savedTargeting ?? targeting),
    trafficType,
    areBucketsKnown: saved !== undefined,
  };
  if (slowPattern !== undefined) {
    return (
      <p className={styles.hint} role="status">
        Cannot tell: the regular expression <code>{slowPattern}</code> takes too long for this key.
      </p>
    );
  }
  if (!shown)
    return key.length > 250 ? <p className={styles.hint}>SDKs reject keys longer than 250 characters.</p> : null;
  const isFlipped = before !== undefined && after !== undefined && before.treatment !== after.treatment;
  return (
    <div className={styles.verdict}>
      <p className={styles.result}>
        {isFlipped && (
          <>
            <span className={styles.old}>{before.treatment}</span>
            <ArrowRight size={13} aria-label="becomes" />
          </>
        )}
        {!isFlipped && <span>gets</span>}
        <Swatch treatment={shown.treatment} order={order} />
        <span className={styles.treatment}>{shown.treatment}</span>
        {(isFlipped || !saved) && <span className={styles.flip}>after saving</span>}
      </p>
      <ol className={styles.steps}>
        {wordsOf(shown, setting).map(({ number, words, isDeciding }) => (
          <li key={`${number} ${words}`} className={isDeciding ? styles.deciding : undefined}>
            <span className={number === undefined ? styles.noNumber : styles.number}>{number}</span>
            <span>{words}</span>
          </li>
        ))}
      </ol>
      {shown.config !== undefined && <p className={styles.config}>{shown.config}</p>}
      {!saved && <p className={styles.note}>A key has no bucket until the definition is saved.</p>}
      {complaints.length > 0 && <p className={styles.note}>Saved version: the draft is incomplete.</p>}
      <Announced
        text={isFlipped ? `${before.treatment} becomes ${shown.treatment} after saving` : `gets ${shown.treatment}`}
      />
    </div>
  );
}

/** Announced to screen readers after a pause in typing, not for every letter. */
function Announced({ text }: { readonly text: string }) {
  const [said, setSaid] = useState('');
  useEffect(() => {
    const timer = setTimeout(() => setSaid(text), 400);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <span className="sr" role="status">
      {said}
    </span>
  );
}
