import { type ReactNode, useState } from 'react';
import { FieldTable } from '../../activity/FieldTable.tsx';
import { countOf } from '../../administration/count.ts';
import { NameLink } from '../../administration/NameLink.tsx';
import { type Operation, objectOf } from '../../changesets/changesets-query.ts';
import { useProject } from '../../server/project.ts';
import { Button } from '../../ui/Button.tsx';
import { Tag } from '../../ui/Chip.tsx';
import styles from './Operations.module.css';

export const keyOf = (operation: Operation): string => `${objectOf(operation).id} ${operation.environment?.id}`;

const editWords: Readonly<Record<Operation['edit']['kind'], string>> = {
  create: 'Create',
  replace: 'Change',
  patch: 'Change',
  kill: 'Kill',
  restore: 'Restore',
  delete: 'Remove',
  addKeys: 'Add keys',
  removeKeys: 'Remove keys',
  removeAllKeys: 'Remove all keys',
  uploadKeys: 'Replace the keys',
  replaceRules: 'Change',
};

interface FrameProps {
  readonly operation: Operation;
  readonly number: number;
  readonly line?: ReactNode;
  readonly children: ReactNode;
}

/** What it edits and how, around what that means. */
export function OperationFrame({ operation, number, line, children }: FrameProps) {
  const [isJson, setJson] = useState(false);
  const { environment, edit } = operation;
  return (
    <li className={styles.operation}>
      <span className={styles.number} aria-hidden>
        {number}
      </span>
      <div className={styles.body}>
        <div className={styles.title}>
          <span className={styles.name}>
            <ObjectLink operation={operation} />
            {environment && <span className={styles.quiet}> in {environment.name}</span>}
          </span>
          <Tag>{editWords[edit.kind]}</Tag>
          <Button look="quiet" size="small" aria-expanded={isJson} onClick={() => setJson(!isJson)}>
            JSON
          </Button>
        </div>
        {line}
        {children}
        {isJson && (
          // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable areas must be reachable by keyboard
          <pre className={styles.json} tabIndex={0}>
            {JSON.stringify(edit, null, 2)}
          </pre>
        )}
      </div>
    </li>
  );
}

function ObjectLink({ operation: { flag, segment, environment } }: { readonly operation: Operation }) {
  const project = useProject().name;
  if (segment && environment) {
    return (
      <NameLink
        to="/p/$project/segments/$segment/$environment"
        params={{ project, segment: segment.name, environment: environment.name }}
      >
        <span className="mono">{segment.name}</span>
      </NameLink>
    );
  }
  const name = <span className="mono">{flag?.name}</span>;
  return environment ? (
    <NameLink
      to="/p/$project/flags/$flag/$environment"
      params={{ project, flag: flag?.name ?? '', environment: environment.name }}
    >
      {name}
    </NameLink>
  ) : (
    <NameLink to="/p/$project/flags/$flag/details" params={{ project, flag: flag?.name ?? '' }}>
      {name}
    </NameLink>
  );
}

const shownKeys = 10;

/** What is not drawn: keys, details of a flag. */
export function Edited({ operation: { edit, flag, environment } }: { readonly operation: Operation }) {
  const { kind, keys = [], operations: patch = [], list } = edit;
  if (kind === 'addKeys' || kind === 'removeKeys') {
    return (
      <p className={styles.effect}>
        {countOf(keys.length, 'key')}: <span className="mono">{keys.slice(0, shownKeys).join(', ')}</span>
        {keys.length > shownKeys && ` and ${(keys.length - shownKeys).toLocaleString('en')} more`}
      </p>
    );
  }
  if (kind === 'removeAllKeys') return <p className={styles.effect}>Leaves no keys in the segment.</p>;
  if (kind === 'uploadKeys') {
    return (
      <p className={styles.effect}>
        {list ? `The keys of a file: ${countOf(list.keyCount, 'key')} in all.` : 'The file has not arrived.'}
      </p>
    );
  }
  if (flag && !environment) {
    const after = Object.fromEntries(
      patch.map(({ path, ...rest }) => [path.slice(1), 'value' in rest ? rest.value : '']),
    );
    return <FieldTable before={undefined} after={after} nameOf={() => undefined} />;
  }
  return kind === 'delete' ? null : <p className={styles.effect}>Nothing would change: it is already like this.</p>;
}
