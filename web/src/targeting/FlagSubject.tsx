import { useQuery } from '@tanstack/react-query';
import { ChevronDown } from 'lucide-react';
import { useDeferredValue, useState } from 'react';
import { listFlags } from '#contract/flags.ts';
import { changeValue } from '#domain/definitions/edit-matchers.ts';
import type { Matcher } from '#domain/definitions/matchers.ts';
import { reading } from '../server/api.ts';
import { flagReading } from '../server/flag.ts';
import { useProject } from '../server/project.ts';
import { Picker } from '../ui/Picker.tsx';
import styles from './MatcherEditor.module.css';
import type { WrongProps } from './MatcherEditor.tsx';
import { useRulePlace } from './rule-place.ts';
import { TokensInput } from './TokensInput.tsx';

interface Props {
  readonly matcher: Matcher;
  readonly wrong: WrongProps;
  readonly onChange: (matcher: Matcher) => void;
}

/** The other flag that a rule depends on. */
export function FlagSubject({ matcher, wrong, onChange }: Props) {
  const project = useProject();
  const { flag: self } = useRulePlace();
  const { splitName = '', treatments = [] } = matcher.depends ?? {};
  const [text, setText] = useState('');
  const asked = useDeferredValue(text);
  const flags = useQuery(
    reading(listFlags, { params: { project: project.id }, query: { name: asked || undefined, limit: 20 } }),
  );
  return (
    <Picker
      label="Flag"
      options={(flags.data?.objects ?? [])
        .filter(({ name }) => name !== self)
        .map(({ name }) => ({ id: name, label: name, face: <span className="mono">{name}</span> }))}
      selected={splitName}
      onSearch={setText}
      onChoose={(name) => onChange(changeValue(matcher, 'depends', { splitName: name, treatments }))}
      trigger={(trigger) => (
        <button
          {...trigger}
          type="button"
          className={`${styles.control} ${styles.flag} ${wrong['aria-invalid'] ? styles.wrong : ''}`}
          aria-label={`Flag: ${splitName || 'choose'}`}
          aria-describedby={wrong['aria-describedby']}
          data-wrong={wrong['aria-invalid']}
        >
          <span className={styles.kind}>flag</span>
          <span className="mono">{splitName || 'Choose'}</span>
          <ChevronDown size={14} aria-hidden />
        </button>
      )}
    />
  );
}

/** Which of its treatments match. */
export function TreatmentsValue({ matcher, wrong, onChange }: Props) {
  const project = useProject();
  const { environment } = useRulePlace();
  const { splitName = '', treatments = [] } = matcher.depends ?? {};
  const other = useQuery({ ...flagReading(project.id, splitName), enabled: splitName !== '', refetchInterval: false });
  const definition = other.data?.definitions?.find((one) => one.environment.id === environment.id);
  return (
    <>
      <TokensInput
        label="Treatments"
        placeholder="Add a treatment"
        joint="or"
        tokens={treatments}
        suggestions={definition?.treatments.map(({ name }) => name) ?? []}
        wrong={wrong}
        onChange={(names) => onChange(changeValue(matcher, 'depends', { splitName, treatments: names }))}
      />
      {other.data && !definition && (
        <p className={styles.hint}>
          {splitName} is not defined in {environment.name}, so everyone gets control for it.
        </p>
      )}
      {other.isError && <p className={styles.hint}>The flag {splitName} no longer exists. This matches nobody.</p>}
    </>
  );
}
