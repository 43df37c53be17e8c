import { useQuery } from '@tanstack/react-query';
import { ChevronDown } from 'lucide-react';
import { useDeferredValue, useState } from 'react';
import { listFlags } from '#contract/flags.ts';
import { changeValue } from '#domain/definitions/edit-matchers.ts';
import type { Matcher } from '#domain/definitions/matchers.ts';
import { reading } from '../server/api.ts';
import { flagReading } from '../server/flag.ts';
import { useProject } from '../server/project.ts';
import { Button } from '../ui/Button.tsx';
import { Picker } from '../ui/Picker.tsx';
import styles from './MatcherEditor.module.css';
import { useRulePlace } from './rule-place.ts';
import { TokensInput } from './TokensInput.tsx';

interface Props {
  readonly matcher: Matcher;
  readonly onChange: (matcher: Matcher) => void;
}

/** The other flag, and which of its treatments match. */
export function DependencyValue({ matcher, onChange }: Props) {
  const project = useProject();
  const { environment, flag: self } = useRulePlace();
  const { splitName = '', treatments = [] } = matcher.depends ?? {};
  const [text, setText] = useState('');
  const asked = useDeferredValue(text);
  const flags = useQuery(
    reading(listFlags, { params: { project: project.id }, query: { name: asked || undefined, limit: 20 } }),
  );
  const other = useQuery({ ...flagReading(project.id, splitName), enabled: splitName !== '', refetchInterval: false });
  const definition = other.data?.definitions?.find((one) => one.environment.id === environment.id);
  const set = (depends: { splitName: string; treatments: string[] }) =>
    onChange(changeValue(matcher, 'depends', depends));
  return (
    <>
      <TokensInput
        label="Treatments"
        tokens={treatments}
        suggestions={definition?.treatments.map(({ name }) => name) ?? []}
        onChange={(names) => set({ splitName, treatments: names })}
      />
      <span className={styles.subject}>of the flag</span>
      <Picker
        label="Flag"
        options={(flags.data?.objects ?? [])
          .filter(({ name }) => name !== self)
          .map(({ name }) => ({ id: name, label: name, face: <span className="mono">{name}</span> }))}
        selected={splitName}
        onSearch={setText}
        onChoose={(name) => set({ splitName: name, treatments })}
        trigger={(trigger) => (
          <Button {...trigger}>
            <span className="mono">{splitName || 'Choose'}</span>
            <ChevronDown size={14} aria-hidden />
          </Button>
        )}
      />
      {other.data && !definition && (
        <p className={styles.hint}>
          {splitName} is not defined in {environment.name}, so everyone gets control for it.
        </p>
      )}
    </>
  );
}
