import type { Usage } from '#domain/segments.ts';
import { countOf } from '../../administration/count.ts';
import { Failure } from '../../kit/Failure.tsx';
import type { Environment } from '../../server/project.ts';
import { useEnvironments } from '../../server/project.ts';
import { Button } from '../../ui/Button.tsx';
import { Checkbox } from '../../ui/Checkbox.tsx';
import { Notice } from '../../ui/Notice.tsx';
import { Select } from '../../ui/Select.tsx';
import { TextArea } from '../../ui/TextArea.tsx';
import { FileChoice, sizeInWords } from './FileChoice.tsx';
import styles from './KeyPanel.module.css';
import type { KeySource, SourceKind } from './use-key-source.ts';

const tabs: readonly [SourceKind, string][] = [
  ['paste', 'Type or paste'],
  ['file', 'File'],
  ['copy', 'Copy from another environment'],
];

interface TabsProps {
  readonly source: KeySource;
  readonly hasCopy: boolean;
  readonly isBusy: boolean;
  readonly onSelect: (kind: SourceKind) => void;
}

export const SourceTabs = ({ source, hasCopy, isBusy, onSelect }: TabsProps) => (
  <fieldset className={styles.sources}>
    <legend className="sr">Source</legend>
    {tabs
      .filter(([kind]) => hasCopy || kind !== 'copy')
      .map(([kind, label]) => (
        <Button
          key={kind}
          size="small"
          look={source.kind === kind ? 'plain' : 'quiet'}
          aria-pressed={source.kind === kind}
          isBusy={isBusy}
          onClick={() => onSelect(kind)}
        >
          {label}
        </Button>
      ))}
  </fieldset>
);

interface Props {
  readonly source: KeySource;
  readonly environment: Environment;
  readonly usages: readonly Usage[];
  readonly isBusy: boolean;
  readonly isOver: boolean;
  readonly error: string | undefined;
  readonly onChange: () => void;
}

/** The input of the chosen source. */
export function KeyInput(props: Props) {
  const { source, isBusy, isOver, error, onChange } = props;
  if (source.kind === 'paste') {
    return (
      <TextArea
        name="keys"
        label="Keys"
        face="name"
        rows={5}
        value={source.text}
        onChange={({ target }) => {
          onChange();
          source.setText(target.value);
        }}
        hint="One per line, or separated by commas."
        error={error}
        readOnly={isBusy}
        autoCapitalize="none"
        spellCheck={false}
        autoFocus
      />
    );
  }
  return (
    <>
      {source.kind === 'file' ? (
        <FileInput source={source} isBusy={isBusy} isOver={isOver} onChange={onChange} />
      ) : (
        <CopyInput {...props} />
      )}
      {source.refusal !== undefined && <Notice kind="danger">{source.refusal}</Notice>}
      {error !== undefined && <Notice kind="danger">{error}</Notice>}
    </>
  );
}

function FileInput({ source, isBusy, isOver, onChange }: Pick<Props, 'source' | 'isBusy' | 'isOver' | 'onChange'>) {
  const { chosen, read } = source;
  const lines = read.keys.length + read.repeated + read.invalid.length;
  return (
    <>
      <FileChoice
        file={chosen?.file}
        about={
          chosen
            ? `${sizeInWords(chosen.file.size)}, ${countOf(lines, 'line')}${chosen.columns.hasHeader ? ' and a header' : ''}`
            : 'CSV or text with one key per line.'
        }
        isBusy={isBusy}
        isOver={isOver}
        onChoose={(file) => {
          onChange();
          void source.choose(file);
        }}
      />
      {chosen && (
        <div className={styles.columns}>
          {chosen.columns.names.length > 1 && (
            <Select
              name="column"
              label="Key column"
              value={chosen.column}
              disabled={isBusy}
              onChange={({ target }) => {
                onChange();
                source.reread({ column: Number(target.value) });
              }}
            >
              {chosen.columns.names.map((name, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: columns may have the same name
                <option key={index} value={index}>
                  {chosen.columns.hasHeader ? name || `Column ${index + 1}` : `Column ${index + 1}: ${name}`}
                </option>
              ))}
            </Select>
          )}
          <Checkbox
            label="The first line is a header"
            checked={chosen.columns.hasHeader}
            disabled={isBusy}
            onChange={({ target }) => {
              onChange();
              source.reread({ columns: { ...chosen.columns, hasHeader: target.checked } });
            }}
          />
        </div>
      )}
    </>
  );
}

function CopyInput({ source, environment, usages, isBusy, onChange }: Props) {
  const environments = useEnvironments();
  const others = usages.filter(
    (usage) => usage.active && usage.keyCount > 0 && usage.environment.id !== environment.id,
  );
  if (others.length === 0) return <Notice kind="plain">The segment has no keys in another environment.</Notice>;
  return (
    <>
      <Select
        name="from"
        label="Environment"
        value={source.from?.id ?? ''}
        disabled={isBusy}
        onChange={({ target }) => {
          onChange();
          source.setFrom(environments.find(({ id }) => id === target.value));
        }}
      >
        <option value="">Choose</option>
        {others.map((usage) => (
          <option key={usage.environment.id} value={usage.environment.id}>
            {usage.environment.name}, {countOf(usage.keyCount, 'key')}
          </option>
        ))}
      </Select>
      {source.copied.isFetching && <p className={styles.quiet}>Reading the keys…</p>}
      {source.copied.error && <Failure problem={source.copied.error} onRetry={source.copied.refetch} />}
    </>
  );
}
