import { defaultRangeExtractor, useWindowVirtualizer } from '@tanstack/react-virtual';
import { ArrowDown, ArrowUp } from 'lucide-react';
import { type CSSProperties, type ReactNode, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import type { FlagSort } from '#domain/flag-list.ts';
import { useOwnerNames } from '../../administration/owner-names.ts';
import { EnvironmentHead } from '../../kit/EnvironmentHead.tsx';
import { ProdChip } from '../../kit/StatusChip.tsx';
import { useEnvironments } from '../../server/project.ts';
import { useMe } from '../../server/session.ts';
import { useDrafts } from '../../state/drafts.ts';
import { usePageActions } from '../../state/page-actions.ts';
import { useFollow } from '../../state/use-follow.ts';
import { useMedia } from '../../ui/use-media.ts';
import { columnNames, type ShownColumns, shownColumns } from './columns.ts';
import { FlagRow, LoadingRow } from './FlagRow.tsx';
import styles from './FlagTable.module.css';
import { type FlagPage, pageSize, useFlagsAt, useFlagsSearch, useHasTraffic } from './flags-query.ts';
import { sortOf, sortText } from './flags-search.ts';
import type { Selection } from './selection.ts';
import { useTrafficOf } from './traffic-query.ts';
import { useColumns } from './views-query.ts';

interface Props {
  readonly first: FlagPage;
  /** The page is of the query before. */
  readonly isOld: boolean;
  readonly selection: Selection;
}

const rowHeight = 44;
/** Three lines for each flag, on phones. */
const tallRowHeight = 102;
const phones = '(max-width: 760px)';
/** How many rows before they are visible pages are read, so that rows are rendered once, with their contents. */
const ahead = pageSize / 2;

/** All flags of the query. */
export function FlagTable({ first, isOld, selection }: Props) {
  const body = useRef<HTMLTableSectionElement>(null);
  const frame = useRef<HTMLDivElement>(null);
  const isPhone = useMedia(phones);
  const shown = useShownColumns(frame, isPhone, useHasTraffic(first));
  useRowKeys(body);
  return (
    <div ref={frame} className={styles.frame}>
      <table
        role="table"
        className={styles.table}
        aria-rowcount={first.totalCount + 1}
        style={{ '--wider': `${shown.wider}px` } as CSSProperties}
      >
        <caption className="sr">Flags</caption>
        <thead role="rowgroup">
          <Head shown={shown} selection={selection} total={first.totalCount} />
        </thead>
        {/* biome-ignore lint/a11y/useKeyWithClickEvents: links in the rows are followed by Enter, which clicks them */}
        <tbody role="rowgroup" ref={body} onClick={useFollow()}>
          <LoadedRows {...{ first, isOld, selection, body, isPhone, shown }} />
        </tbody>
      </table>
    </div>
  );
}

interface InTable {
  readonly body: React.RefObject<HTMLElement | null>;
  readonly isPhone: boolean;
  readonly shown: ShownColumns;
}

/** Reads the pages in sight. Scrolling renders this only when there is another one. */
function LoadedRows({ first, isOld, ...table }: Props & InTable) {
  const [pages, setPages] = useState<readonly number[]>([0]);
  const { flagAt, flagsOn } = useFlagsAt(first, isOld, pages);
  const hasTraffic = table.shown.columns.has('evaluations');
  const trafficOf = useTrafficOf(hasTraffic ? pages.map((page) => flagsOn(page).map(({ id }) => id)) : []);
  const nameOf = useOwnerNames();
  const drafts = useDrafts(useMe().user.id);
  return <Rows {...table} {...{ flagAt, trafficOf, nameOf, drafts }} count={first.totalCount} onPages={setPages} />;
}

interface RowsProps extends InTable, Pick<Props, 'selection'>, Pick<ReturnType<typeof useFlagsAt>, 'flagAt'> {
  readonly count: number;
  readonly trafficOf: ReturnType<typeof useTrafficOf>;
  readonly nameOf: ReturnType<typeof useOwnerNames>;
  readonly drafts: ReturnType<typeof useDrafts>;
  /** Told which pages of flags are in sight. */
  readonly onPages: (pages: readonly number[]) => void;
}

/** Only rows in sight are rendered. Scrolling renders this and nothing around it. */
function Rows({ flagAt, trafficOf, nameOf, drafts, selection, shown, ...place }: RowsProps) {
  const cells = 2 + shown.columns.size + (shown.lead ? 1 : 0) + shown.bars.length;
  return useRows(place).map((row) => {
    if ('space' in row) return <Space key={`space ${row.from}`} height={row.space} cells={cells} />;
    const flag = flagAt(row.index);
    if (!flag) return <LoadingRow key={row.index} index={row.index} cells={cells} />;
    return (
      <FlagRow
        key={flag.id}
        flag={flag}
        index={row.index}
        shown={shown}
        drafted={drafts.get(flag.id)}
        traffic={trafficOf(flag.id)}
        owners={flag.owners.flatMap(({ id }) => nameOf(id) ?? []).join('\n')}
        isSelected={selection.has(flag.id)}
        onToggle={selection.toggle}
      />
    );
  });
}

const Space = ({ height, cells }: { readonly height: number; readonly cells: number }) => (
  <tr aria-hidden className={styles.space} style={{ height }}>
    <td colSpan={cells} />
  </tr>
);

type RowPlace = { readonly index: number } | { readonly space: number; readonly from: number };

/**
 * Which rows to render, and the space between them. The focused row always stays, with those beside it, where j and k
 * go.
 */
function useRows({ body, isPhone, count, onPages }: Pick<RowsProps, 'body' | 'isPhone' | 'count' | 'onPages'>) {
  const top = useTop(body);
  const [focused, setFocused] = useState<number>();
  const height = isPhone ? tallRowHeight : rowHeight;
  useEffect(() => {
    const note = () => setFocused(focusedIndex(body.current));
    document.addEventListener('focusin', note);
    return () => document.removeEventListener('focusin', note);
  }, [body]);
  const virtual = useWindowVirtualizer({
    count,
    estimateSize: () => height,
    overscan: 6,
    scrollMargin: top,
    rangeExtractor: (range) => {
      const inSight = defaultRangeExtractor(range);
      const kept = focused === undefined ? [] : [focused - 1, focused, focused + 1];
      const all = new Set([...kept.filter((index) => index >= 0 && index < count), ...inSight]);
      return [...all].sort((a, b) => a - b);
    },
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: heights are measured again when they change
  useEffect(() => virtual.measure(), [height]);
  const indexes = virtual.getVirtualItems().map(({ index }) => index);
  const rows: RowPlace[] = [];
  let next = 0;
  for (const index of [...indexes, count]) {
    if (index > next) rows.push({ space: (index - next) * height, from: next });
    if (index < count) rows.push({ index });
    next = index + 1;
  }
  const near = indexes.flatMap((index) => [Math.max(index - ahead, 0), Math.min(index + ahead, count - 1)]);
  const pages = [...new Set(near.map((index) => Math.floor(index / pageSize)))];
  // Before the browser paints: pages that were read before are shown at once.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the same pages are reported once
  useLayoutEffect(() => onPages(pages), [pages.join()]);
  return rows;
}

/** Where the list begins. Asked when the height of the page changes: to ask while scrolling would lay out the page twice. */
function useTop(body: React.RefObject<HTMLElement | null>): number {
  const [top, setTop] = useState(0);
  useLayoutEffect(() => {
    const measure = () => setTop(Math.round((body.current?.getBoundingClientRect().top ?? 0) + scrollY));
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(document.body);
    return () => observer.disconnect();
  }, [body]);
  return top;
}

/** On phones, the style sheet decides what is shown of them. Until SDKs report, evaluations are shown only if chosen. */
function useShownColumns(
  frame: React.RefObject<HTMLElement | null>,
  isPhone: boolean,
  hasTraffic: boolean,
): ShownColumns {
  const environments = useEnvironments();
  const { choices: chosen } = useColumns();
  const choices = useMemo(() => (hasTraffic ? chosen : { evaluations: false, ...chosen }), [hasTraffic, chosen]);
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const element = frame.current;
    if (!element) return;
    setWidth(element.clientWidth);
    const observer = new ResizeObserver(() => setWidth(element.clientWidth));
    observer.observe(element);
    return () => observer.disconnect();
  }, [frame]);
  return useMemo(
    () => shownColumns(isPhone ? Number.POSITIVE_INFINITY : width, environments, choices),
    [isPhone, width, environments, choices],
  );
}

interface HeadProps {
  readonly shown: ShownColumns;
  readonly selection: Selection;
  readonly total: number;
}

function Head({ shown: { columns, lead, bars }, selection, total }: HeadProps) {
  const box = useRef<HTMLInputElement>(null);
  const isSome = selection.count > 0 && selection.count < total;
  useEffect(() => {
    if (box.current) box.current.indeterminate = isSome;
  }, [isSome]);
  return (
    <tr role="row" aria-rowindex={1}>
      <th role="columnheader" className={styles.check}>
        <input
          ref={box}
          type="checkbox"
          className={styles.all}
          aria-label={`Select all ${total} flags`}
          checked={selection.count > 0 && !isSome}
          onChange={() => (selection.count > 0 ? selection.clear() : void selection.selectAll())}
        />
      </th>
      <SortHead sort="name" className={styles.nameCell}>
        Name
      </SortHead>
      {columns.has('description') && (
        <th role="columnheader" className={styles.description}>
          {columnNames.description}
        </th>
      )}
      {columns.has('tags') && (
        <th role="columnheader" className={styles.tags}>
          {columnNames.tags}
        </th>
      )}
      {columns.has('type') && (
        <th role="columnheader" className={styles.type}>
          {columnNames.type}
        </th>
      )}
      {columns.has('status') && (
        <SortHead sort="status" className={styles.status}>
          {columnNames.status}
        </SortHead>
      )}
      {lead && (
        <SortHead
          sort={lead.production ? 'share' : undefined}
          className={lead.production ? styles.production : styles.lead}
          title={lead.name}
          chip={lead.production && <ProdChip />}
        >
          {lead.name}
        </SortHead>
      )}
      {bars.map((environment, at) => (
        <EnvironmentHead
          key={environment.id}
          environment={environment}
          className={at === 0 ? styles.beside : styles.bar}
        />
      ))}
      {columns.has('evaluations') && (
        <SortHead sort="traffic" first="desc" className={styles.traffic}>
          {columnNames.evaluations}
        </SortHead>
      )}
      {columns.has('owner') && (
        <th role="columnheader" className={styles.owners}>
          {columnNames.owner}
        </th>
      )}
      {columns.has('created') && (
        <SortHead sort="created" first="desc" className={styles.time}>
          {columnNames.created}
        </SortHead>
      )}
      {columns.has('changed') && (
        <SortHead sort="changed" first="desc" className={styles.changed}>
          {columnNames.changed}
        </SortHead>
      )}
    </tr>
  );
}

interface SortHeadProps {
  /** Undefined if the list cannot be sorted by it. */
  readonly sort: FlagSort['sort'] | undefined;
  /** The order of the first click. */
  readonly first?: FlagSort['order'];
  readonly className: string | undefined;
  readonly title?: string;
  readonly chip?: ReactNode;
  readonly children: ReactNode;
}

function SortHead({
  sort,
  first = sort === 'share' ? 'desc' : 'asc',
  className,
  title,
  chip,
  children,
}: SortHeadProps) {
  const { search, change } = useFlagsSearch();
  const current = sortOf(search);
  const isCurrent = sort === current.sort;
  const order = isCurrent ? (current.order === 'asc' ? 'desc' : 'asc') : first;
  const Arrow = current.order === 'asc' ? ArrowUp : ArrowDown;
  return (
    <th
      role="columnheader"
      className={className}
      title={title}
      aria-sort={isCurrent ? (current.order === 'asc' ? 'ascending' : 'descending') : undefined}
    >
      <span className={styles.head}>
        {sort === undefined ? (
          <span className={styles.headName}>{children}</span>
        ) : (
          <button type="button" className={styles.sort} onClick={() => change({ sort: sortText({ sort, order }) })}>
            {isCurrent && <Arrow size={13} aria-hidden />}
            <span className={styles.headName}>{children}</span>
          </button>
        )}
        {chip}
      </span>
    </th>
  );
}

/** j and k move between rows, x selects the focused row; Enter follows its link. */
function useRowKeys(body: React.RefObject<HTMLElement | null>): void {
  const linkAt = (index: number) => body.current?.querySelector<HTMLElement>(`a[data-index="${index}"]`);
  const go = (step: 1 | -1) => {
    const at = focusedIndex(body.current);
    linkAt(at === undefined ? firstInSight(body.current) : at + step)?.focus();
  };
  usePageActions([
    { label: 'Next flag', keys: 'j', isMove: true, run: () => go(1) },
    { label: 'Previous flag', keys: 'k', isMove: true, run: () => go(-1) },
    {
      label: 'Select the flag',
      keys: 'x',
      isMove: true,
      run: () => {
        const at = focusedIndex(body.current);
        if (at !== undefined) linkAt(at)?.closest('tr')?.querySelector('input')?.click();
      },
    },
  ]);
}

/** The place in the list of the row that has the focus. */
function focusedIndex(body: HTMLElement | null): number | undefined {
  const link = document.activeElement?.closest('tr')?.querySelector<HTMLElement>('a[data-index]');
  return link && body?.contains(link) ? Number(link.dataset.index) : undefined;
}

/** The row under the header. */
function firstInSight(body: HTMLElement | null): number {
  const links = [...(body?.querySelectorAll<HTMLElement>('a[data-index]') ?? [])];
  const link = links.find((one) => one.getBoundingClientRect().top > rowHeight) ?? links[0];
  return Number(link?.dataset.index ?? 0);
}
