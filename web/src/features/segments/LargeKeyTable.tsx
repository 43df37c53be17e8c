import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { listLargeSegmentKeys } from '#contract/large-segments.ts';
import { longestKey } from '#domain/segments.ts';
import { StackingTable } from '../../administration/StackingTable.tsx';
import { Loaded } from '../../kit/Loaded.tsx';
import { SearchField } from '../../kit/SearchField.tsx';
import { reading } from '../../server/api.ts';
import { Button } from '../../ui/Button.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import styles from './SegmentPage.module.css';
import type { KeysProps } from './StandardKeys.tsx';

const pageSize = 50;

/** A page of the keys of a large segment, which are sorted: those with the same beginning are neighbours. */
export function LargeKeyTable({ segment, environment, keyCount }: KeysProps) {
  const [prefix, setPrefix] = useState('');
  /** Where this page and those before it begin: a page only has the position of the next one. */
  const [starts, setStarts] = useState<readonly string[]>(['']);
  const query = useQuery({
    ...reading(listLargeSegmentKeys, {
      params: { environment: environment.id, largeSegment: segment },
      query: { from: starts.at(-1) || undefined, limit: pageSize },
    }),
    placeholderData: keepPreviousData,
  });
  const before = (starts.length - 1) * pageSize;
  return (
    <div className={styles.main}>
      <div className={styles.bar}>
        <h3 className={styles.title}>Keys</h3>
        <SearchField
          label="Keys that start with"
          value={prefix}
          onSearch={(text) => {
            setPrefix(text);
            setStarts([text.slice(0, longestKey)]);
          }}
        />
      </div>
      <Loaded query={query}>
        {({ keys: listed, next }) => {
          // Until the reply is here, the table keeps what it showed before.
          const keys = query.isPlaceholderData ? listed : listed.filter(({ key }) => key.startsWith(prefix));
          if (keys.length === 0 && before === 0) {
            return (
              <EmptyState title="No keys match">
                No key starts with <span className={styles.key}>{prefix}</span>.
              </EmptyState>
            );
          }
          const hasNext = next?.startsWith(prefix) === true;
          return (
            <>
              <StackingTable
                caption="Keys"
                head={
                  <tr>
                    <th>Key</th>
                  </tr>
                }
              >
                {keys.map(({ key }) => (
                  <tr key={key}>
                    <th scope="row" className={styles.key}>
                      <Marked text={key} start={prefix} />
                    </th>
                  </tr>
                ))}
              </StackingTable>
              <div className={styles.foot}>
                <span className="num">
                  {(before + 1).toLocaleString('en')} to {(before + keys.length).toLocaleString('en')}{' '}
                  {prefix === '' ? `of ${keyCount.toLocaleString('en')}` : `that start with ${prefix}`}
                </span>
                <span className={styles.tools}>
                  <Button
                    refusal={before === 0 ? 'This is the first page.' : undefined}
                    onClick={() => setStarts(starts.slice(0, -1))}
                  >
                    Previous
                  </Button>
                  <Button
                    refusal={hasNext ? undefined : 'This is the last page.'}
                    onClick={() => hasNext && setStarts([...starts, next])}
                  >
                    Next
                  </Button>
                </span>
              </div>
            </>
          );
        }}
      </Loaded>
    </div>
  );
}

const Marked = ({ text, start }: { readonly text: string; readonly start: string }) =>
  text.startsWith(start) ? (
    <>
      <mark className={styles.mark}>{start}</mark>
      {text.slice(start.length)}
    </>
  ) : (
    text
  );
