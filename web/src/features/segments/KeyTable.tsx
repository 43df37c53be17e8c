import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { X } from 'lucide-react';
import { useState } from 'react';
import { listKeys } from '#contract/segments.ts';
import type { Change } from '#domain/changes.ts';
import { StackingTable } from '../../administration/StackingTable.tsx';
import { EditorName } from '../../kit/EditorName.tsx';
import { Loaded } from '../../kit/Loaded.tsx';
import { SearchField } from '../../kit/SearchField.tsx';
import { reading } from '../../server/api.ts';
import { Button } from '../../ui/Button.tsx';
import { Checkbox } from '../../ui/Checkbox.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { ShortTime } from '../../ui/Time.tsx';
import { sourceWords } from './Origin.tsx';
import { RemoveKeysDialog } from './RemoveKeysDialog.tsx';
import styles from './SegmentPage.module.css';
import type { KeysProps } from './StandardKeys.tsx';

const pageSize = 50;

interface Props extends KeysProps {
  /** Removing keys is proposed to others. */
  readonly isProposed: boolean;
  /** Why keys cannot be removed. */
  readonly refusal: string | undefined;
}

/** A page of keys, with who added each of them. */
export function KeyTable({ segment, environment, keyCount, isProposed, refusal }: Props) {
  const [prefix, setPrefix] = useState('');
  const [offset, setOffset] = useState(0);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [removing, setRemoving] = useState<readonly string[]>();
  const query = useQuery({
    ...reading(listKeys, {
      params: { environment: environment.id, segment },
      query: { prefix: prefix || undefined, expand: 'origin', offset, limit: pageSize },
    }),
    placeholderData: keepPreviousData,
  });
  const toggle = (some: readonly string[], isOn: boolean) =>
    setSelected((before) => new Set(isOn ? [...before, ...some] : [...before].filter((one) => !some.includes(one))));
  if (keyCount === 0 && prefix === '') {
    return (
      <EmptyState title={`No keys in ${environment.name}`}>
        {isProposed ? 'Propose' : 'Add'} the first ones by typing, pasting or file.
      </EmptyState>
    );
  }
  return (
    <div className={`${styles.main} ${styles.keys}`}>
      <div className={styles.bar}>
        <h3 className={styles.title}>Keys</h3>
        <div className={styles.tools}>
          {selected.size > 0 && (
            <Button look="danger" refusal={refusal} onClick={() => setRemoving([...selected])}>
              {isProposed ? 'Propose to remove' : 'Remove'} {selected.size} selected
            </Button>
          )}
          <SearchField
            label="Keys that start with"
            value={prefix}
            onSearch={(text) => {
              setPrefix(text);
              setOffset(0);
            }}
          />
        </div>
      </div>
      <Loaded query={query}>
        {({ keys, totalCount }) =>
          keys.length === 0 && offset === 0 ? (
            <EmptyState title="No keys match">
              No key starts with <span className={styles.key}>{prefix}</span>.
            </EmptyState>
          ) : (
            <>
              <StackingTable
                caption="Keys"
                head={
                  <tr>
                    <th className={styles.check}>
                      <Checkbox
                        label={<span className="sr">Select all {keys.length} keys of this page</span>}
                        checked={keys.every(({ key }) => selected.has(key))}
                        onChange={({ target }) =>
                          toggle(
                            keys.map(({ key }) => key),
                            target.checked,
                          )
                        }
                      />
                    </th>
                    <th>Key</th>
                    <th className={styles.added}>Added</th>
                    <th className={styles.by}>By</th>
                    <th className={styles.from}>From</th>
                    <th className={styles.remove}>
                      <span className="sr">Actions</span>
                    </th>
                  </tr>
                }
              >
                {keys.map(({ key, addedAt, addedBy, source }) => (
                  <tr key={key}>
                    <td>
                      <Checkbox
                        label={<span className="sr">Select {key}</span>}
                        checked={selected.has(key)}
                        onChange={({ target }) => toggle([key], target.checked)}
                      />
                    </td>
                    <th scope="row" className={styles.key}>
                      <mark className={styles.mark}>{key.slice(0, prefix.length)}</mark>
                      {key.slice(prefix.length)}
                    </th>
                    <td data-label="Added">{addedAt !== undefined && <ShortTime at={addedAt} />}</td>
                    <td data-label="By">{addedBy && <EditorName editor={addedBy as Change['editor']} />}</td>
                    <td data-label="From">{source !== undefined && sourceWords(source)}</td>
                    <td data-tools>
                      <Button
                        look="quiet"
                        size="icon"
                        refusal={refusal}
                        aria-label={isProposed ? `Propose to remove ${key}` : `Remove ${key}`}
                        onClick={() => setRemoving([key])}
                      >
                        <X size={15} aria-hidden />
                      </Button>
                    </td>
                  </tr>
                ))}
              </StackingTable>
              <div className={styles.foot}>
                <span className="num">
                  {offset + 1} to {offset + keys.length} of {totalCount.toLocaleString('en')}
                  {prefix !== '' && ` that start with ${prefix}`}
                </span>
                <span className={styles.tools}>
                  <Button
                    refusal={offset === 0 ? 'This is the first page.' : undefined}
                    onClick={() => setOffset(Math.max(0, offset - pageSize))}
                  >
                    Previous
                  </Button>
                  <Button
                    refusal={offset + pageSize >= totalCount ? 'This is the last page.' : undefined}
                    onClick={() => setOffset(offset + pageSize)}
                  >
                    Next
                  </Button>
                </span>
              </div>
            </>
          )
        }
      </Loaded>
      {removing && (
        <RemoveKeysDialog
          segment={segment}
          environment={environment}
          keys={removing}
          isProposed={isProposed}
          onClose={() => setRemoving(undefined)}
          onDone={() => {
            setSelected(new Set());
            setOffset(0);
          }}
        />
      )}
    </div>
  );
}
