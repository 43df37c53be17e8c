import { useQuery } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { type Dispatch, type MouseEvent, type SetStateAction, useCallback, useMemo, useRef } from 'react';
import { listUsers } from '#contract/users.ts';
import type { ListedFlag } from '#domain/definitions/summary.ts';
import { everyoneReading } from '../../administration/whole-lists.ts';
import { ProdChip } from '../../kit/StatusChip.tsx';
import { useEnvironments } from '../../server/project.ts';
import { useMay } from '../../server/session.ts';
import { usePageActions } from '../../state/page-actions.ts';
import { Button } from '../../ui/Button.tsx';
import { Table } from '../../ui/Table.tsx';
import { FlagRow } from './FlagRow.tsx';
import styles from './FlagTable.module.css';
import { useFlagsSearch } from './flags-query.ts';
import { shownEnvironments } from './shown-environments.ts';

interface Props {
  readonly flags: readonly ListedFlag[];
  readonly total: number;
  readonly selected: ReadonlySet<string>;
  readonly onSelect: Dispatch<SetStateAction<ReadonlySet<string>>>;
  readonly more: { readonly hasNextPage: boolean; readonly isFetchingNextPage: boolean; fetchNextPage(): unknown };
}

/** The width of all columns except the environments. */
const leastWidth = 490;

export function FlagTable({ flags, total, selected, onSelect, more }: Props) {
  const body = useRef<HTMLTableSectionElement>(null);
  const { search } = useFlagsSearch();
  const all = useEnvironments();
  const environments = useMemo(() => shownEnvironments(all, search.env), [all, search.env]);
  const nameOf = useUserNames();
  const hasOwners = flags.some(({ owners }) => owners.length > 0);
  const toggle = useCallback((id: string) => onSelect((before) => toggled(before, id)), [onSelect]);
  useRowKeys(body, toggle);
  return (
    <div className={styles.whole}>
      <Table
        caption="Flags"
        fixedWidth={leastWidth + environments.length * 116}
        bodyRef={body}
        onClick={useFollow()}
        head={
          <tr>
            <th className={styles.check}>
              <span className="sr">Selected</span>
            </th>
            <th>Name</th>
            <th className={styles.status}>Status</th>
            {environments.map(({ id, name, production }) => (
              <th key={id} className={production ? styles.production : styles.environment}>
                <span className={styles.head}>
                  <span className={styles.headName} title={name}>
                    {name}
                  </span>
                  {production && <ProdChip />}
                </span>
              </th>
            ))}
            {hasOwners && <th className={styles.owner}>Owner</th>}
            <th className={styles.changed}>Changed</th>
          </tr>
        }
      >
        {flags.map((flag) => (
          <FlagRow
            key={flag.id}
            flag={flag}
            environments={environments}
            owners={hasOwners ? flag.owners.flatMap(({ id }) => nameOf(id) ?? []).join('\n') : undefined}
            isSelected={selected.has(flag.id)}
            onToggle={toggle}
          />
        ))}
      </Table>
      {more.hasNextPage && (
        <div className={styles.more}>
          <Button isBusy={more.isFetchingNextPage} onClick={() => void more.fetchNextPage()}>
            Show {Math.min(50, total - flags.length)} more
          </Button>
          <span className={styles.shown}>
            {flags.length} of {total.toLocaleString('en')}
          </span>
        </div>
      )}
    </div>
  );
}

const toggled = (ids: ReadonlySet<string>, id: string): ReadonlySet<string> => {
  const others = new Set(ids);
  if (!others.delete(id)) others.add(id);
  return others;
};

/** Navigates for the plain links in the rows. Hundreds of router links would be slow. */
function useFollow(): (event: MouseEvent) => void {
  const router = useRouter();
  return (event) => {
    const link = event.target instanceof Element ? event.target.closest('a') : null;
    if (!link || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    router.history.push(link.pathname);
  };
}

/** j and k move between rows, x selects the focused row; Enter follows its link. */
function useRowKeys(body: React.RefObject<HTMLElement | null>, toggle: (id: string) => void): void {
  const links = () => [...(body.current?.querySelectorAll<HTMLElement>('a[data-flag]') ?? [])];
  const focused = () => document.activeElement?.closest('tr')?.querySelector<HTMLElement>('a[data-flag]') ?? undefined;
  const go = (step: 1 | -1) => {
    const all = links();
    const at = all.indexOf(focused() as HTMLElement);
    const next = at === -1 ? 0 : Math.min(Math.max(at + step, 0), all.length - 1);
    all[next]?.focus();
  };
  usePageActions([
    { label: 'Next flag', keys: 'j', isMove: true, run: () => go(1) },
    { label: 'Previous flag', keys: 'k', isMove: true, run: () => go(-1) },
    {
      label: 'Select the flag',
      keys: 'x',
      isMove: true,
      run: () => {
        const id = focused()?.dataset.flag;
        if (id !== undefined) toggle(id);
      },
    },
  ]);
}

/** Looks up user names by id. Undefined while they load, and for deleted users. */
function useUserNames(): (id: string) => string | undefined {
  const may = useMay();
  const { data } = useQuery({ ...everyoneReading, enabled: may(listUsers), staleTime: 60_000 });
  return (id) => data?.people.find((user) => user.id === id)?.name;
}
