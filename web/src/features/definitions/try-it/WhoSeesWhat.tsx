import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { ArrowRight } from 'lucide-react';
import { useEffect, useId, useState } from 'react';
import { listIdentities } from '#contract/identities.ts';
import { parseKey } from '#domain/evaluation/evaluate.ts';
import type { IdentityReply } from '#domain/identities.ts';
import { Swatch } from '../../../kit/Bar.tsx';
import { reading } from '../../../server/api.ts';
import { useFlag } from '../../../server/flag.ts';
import { useMay } from '../../../server/session.ts';
import { usePageActions } from '../../../state/page-actions.ts';
import { useSettled } from '../../../state/use-settled.ts';
import { asOptions, useAttributes, valuesOf } from '../../../targeting/use-attributes.ts';
import fieldStyles from '../../../ui/Field.module.css';
import { SuggestInput } from '../../../ui/SuggestInput.tsx';
import type { AttributeKind } from '../editing/attributes.ts';
import { useDefinition, useEditor } from '../editing/editor.ts';
import { wordsOf } from '../ladder/step-words.ts';
import { asked, type Probe } from './probe.ts';
import styles from './WhoSeesWhat.module.css';

/** Evaluates a key: its treatment now and after saving, and which step decides. */
export function WhoSeesWhat({ probe }: { readonly probe: Probe }) {
  const { trafficType } = useDefinition();
  const { key } = asked.use();
  const id = useId();
  const [isEntered, setEntered] = useState(false);
  const identities = useIdentities(key, isEntered);
  usePageActions([{ label: 'Try a key: who sees what', keys: 't', run: () => document.getElementById(id)?.focus() }]);
  return (
    <section className={styles.panel} aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`} className={styles.title}>
        Who sees what
      </h2>
      <label className="sr" htmlFor={id}>
        {trafficType} key
      </label>
      <SuggestInput
        id={id}
        className={`${fieldStyles.input} ${fieldStyles.name}`}
        placeholder={`Enter a ${trafficType} key`}
        suggestions={identities.map((one) => ({ id: one.key, label: one.key, detail: valuesInWords(one) }))}
        areFound
        onFocus={() => setEntered(true)}
        value={key}
        onText={(text) => asked.set({ ...asked.get(), key: text })}
        onChoose={(option) =>
          asked.set({ key: option.id, attributes: identities.find((one) => one.key === option.id)?.values ?? {} })
        }
      />
      {probe.kinds.size > 0 && parseKey(key) !== undefined && (
        <div className={styles.attributes}>
          {[...probe.kinds].map(([name, kind]) => (
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

/** What tells identities apart: "pro, DE". */
const valuesInWords = ({ values }: { readonly values: Readonly<Record<string, string>> }): string =>
  Object.values(values).slice(0, 3).join(', ');

function Attribute({ name, kind }: { readonly name: string; readonly kind: AttributeKind }) {
  const { attributes } = asked.use();
  const { trafficType } = useDefinition();
  const id = useId();
  const declared = useAttributes(trafficType);
  const suggestions = kind === 'boolean' ? ['true', 'false'] : valuesOf(declared, name);
  return (
    <div className={styles.attribute}>
      <label className={styles.attributeName} htmlFor={id}>
        {name}
      </label>
      <SuggestInput
        id={id}
        className={styles.attributeValue}
        placeholder={examples[kind]}
        suggestions={asOptions(suggestions)}
        value={attributes[name] ?? ''}
        onText={(text) => {
          const now = asked.get();
          asked.set({ ...now, attributes: { ...now.attributes, [name]: text } });
        }}
      />
    </div>
  );
}

function Verdict({ before, after, undecided, segments }: Probe) {
  const { environment, order, targeting, savedTargeting, trafficType, saved, complaints } = useDefinition();
  const { key } = asked.use();
  const shown = after ?? before;
  const setting = {
    targeting: after ? targeting : (savedTargeting ?? targeting),
    trafficType,
    areBucketsKnown: saved !== undefined,
    environment: environment.name,
    segments,
  };
  if (undecided) {
    const { slowPattern, failed } = undecided;
    return (
      <p className={styles.hint} role="status">
        {slowPattern !== undefined && (
          <>
            Cannot tell: the regular expression <code>{slowPattern}</code> takes too long for this key.
          </>
        )}
        {failed && 'Cannot tell: the segments could not be read.'}
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
            <span className={styles.mark}>{number}</span>
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

const maxOffered = 8;
const none: readonly IdentityReply[] = [];

/** Known keys that start with what was typed, with the values of their attributes. Empty unless wanted. */
function useIdentities(typed: string, isWanted: boolean): readonly IdentityReply[] {
  const { environment } = useEditor();
  const { trafficType } = useFlag();
  const may = useMay();
  const prefix = useSettled(typed.trim());
  const { data } = useQuery({
    ...reading(listIdentities, {
      params: { trafficType: trafficType.id, environment: environment.id },
      query: { searchPrefix: prefix || undefined, limit: maxOffered },
    }),
    enabled: isWanted && may(listIdentities) && prefix.length <= 250,
    placeholderData: keepPreviousData,
  });
  return data?.data ?? none;
}
