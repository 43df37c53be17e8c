import { useNavigate, useSearch } from '@tanstack/react-router';
import { type KeyboardEvent, useDeferredValue, useMemo, useRef, useState } from 'react';
import { countOf } from '../../../administration/count.ts';
import { RightMark } from '../../../administration/RightMark.tsx';
import { RowName, StackingTable } from '../../../administration/StackingTable.tsx';
import { SearchField } from '../../../kit/SearchField.tsx';
import { ProdChip } from '../../../kit/StatusChip.tsx';
import { useMe } from '../../../server/session.ts';
import { Avatar } from '../../../ui/Avatar.tsx';
import { Button } from '../../../ui/Button.tsx';
import { FilterButton, Filters, FilterToggle } from '../../../ui/FilterButton.tsx';
import { Picker } from '../../../ui/Picker.tsx';
import { TableCard } from '../TableCard.tsx';
import { useEditing } from './access-editing.ts';
import type { RightsCell, RightsRow } from './effective-rights.ts';
import styles from './RightsMatrix.module.css';
import { RightsMarks, RightsReasons, wordsOf } from './RightsReasons.tsx';

const pageSize = 20;

interface Props {
  readonly rows: readonly RightsRow[];
  /** False if there are more people than were read. */
  readonly isWhole: boolean;
}

/** What each person can do in each environment after saving, and why. */
export function RightsMatrix({ rows, isWhole }: Props) {
  const { access, changes } = useEditing();
  const { q, group, change, isChangesOnly } = useMatrixSearch();
  const [shown, setShown] = useState(pageSize);
  const text = useDeferredValue(q ?? '').toLowerCase();
  const changed = rows.filter(({ isChanged }) => isChanged).length;
  const isFiltered = isChangesOnly && changes > 0;
  const found = useMemo(
    () =>
      rows
        .filter(({ user }) => `${user.name}\n${user.email}`.toLowerCase().includes(text))
        .filter(({ groups }) => group === undefined || groups.some(({ id }) => id === group))
        .filter(({ isChanged }) => isChanged || !isFiltered),
    [rows, text, group, isFiltered],
  );
  return (
    <TableCard
      title="Effective rights"
      lead={`${changes > 0 ? 'Rights after saving' : 'What each person can do'}. Point at a cell for the reason.`}
      tools={
        <Filters>
          {/* First, so that the others stay where they are when it appears. */}
          {changes > 0 && (
            <FilterToggle isOn={isChangesOnly} onToggle={() => change({ changes: isChangesOnly ? undefined : '' })}>
              Changes only {changed}
            </FilterToggle>
          )}
          <SearchField label="Search people" value={q ?? ''} onSearch={(words) => change({ q: words || undefined })} />
          <GroupFilter rows={rows} />
        </Filters>
      }
    >
      <Legend />
      {found.length > 0 ? (
        <Matrix rows={found.slice(0, shown)} />
      ) : (
        <p className={styles.nobody}>{isFiltered ? 'Nobody gains or loses a right.' : 'Nobody matches.'}</p>
      )}
      <footer className={styles.foot}>
        <p className="num" role="status">
          Showing {Math.min(shown, found.length)} of {countOf(found.length, 'person', 'people')}
          {!isWhole && '. There are more: this table has the first, the CSV file has everyone'}
          {access.ownersEdit && '. Owners can also edit their own flags.'}
        </p>
        {found.length > shown && (
          <Button size="small" onClick={() => setShown(shown + pageSize)}>
            Show more
          </Button>
        )}
      </footer>
    </TableCard>
  );
}

function useMatrixSearch() {
  const { q, group, changes } = useSearch({ from: '/shell/p/$project/settings/access' });
  const navigate = useNavigate();
  const change = (part: Readonly<Record<string, string | undefined>>) =>
    void navigate({ to: '.', search: (all) => ({ ...all, ...part }), replace: true, resetScroll: false });
  return { q, group, isChangesOnly: changes !== undefined, change };
}

function GroupFilter({ rows }: { readonly rows: readonly RightsRow[] }) {
  const { group, change } = useMatrixSearch();
  const names = new Map(rows.flatMap(({ groups }) => groups.map(({ id, name }) => [id, name] as const)));
  return (
    <FilterButton
      what="Group"
      value={group === undefined ? undefined : (names.get(group) ?? 'Unknown')}
      onClear={() => change({ group: undefined })}
      picker={(trigger) => (
        <Picker
          label="Group"
          align="end"
          options={[...names].map(([id, label]) => ({ id, label }))}
          selected={group ?? ''}
          onChoose={(id) => change({ group: id === group ? undefined : id })}
          trigger={trigger}
        />
      )}
    />
  );
}

function Legend() {
  const { access, changes } = useEditing();
  return (
    <ul className={styles.legend}>
      <li>
        <RightMark right="view" state="has" /> View
      </li>
      <li>
        <RightMark right="define" state="has" /> Edit
      </li>
      <li>
        <RightMark right="kill" state="has" /> Kill and restore
      </li>
      {access.environments.some(({ approvals }) => approvals?.required) && (
        <li>
          <RightMark right="define" state="has" isGuarded /> With approval
        </li>
      )}
      {changes > 0 && (
        <>
          <li>
            <RightMark right="kill" state="gains" /> Gained by your change
          </li>
          <li>
            <RightMark right="kill" state="loses" /> Lost by your change
          </li>
        </>
      )}
    </ul>
  );
}

interface Pointed {
  readonly row: string;
  readonly environment: string;
  readonly anchor: HTMLElement;
}

/** Hovering, focusing or tapping a cell shows its reasons. One cell is in the tab order; arrow keys reach the others. */
function Matrix({ rows }: { readonly rows: readonly RightsRow[] }) {
  const { access } = useEditing();
  const [pointed, setPointed] = useState<Pointed>();
  const [tabStop, setTabStop] = useState('');
  const closing = useRef<ReturnType<typeof setTimeout>>(undefined);
  const stay = () => clearTimeout(closing.current);
  // The pointer may move onto the reasons.
  const leave = () => {
    stay();
    closing.current = setTimeout(() => setPointed(undefined), 120);
  };
  const keys = rows.flatMap(({ user, cells }) => cells.map(({ environment }) => `${user.id} ${environment.id}`));
  const stop = keys.includes(tabStop) ? tabStop : keys[0];
  const row = rows.find(({ user }) => user.id === pointed?.row);
  const cell = row?.cells.find(({ environment }) => environment.id === pointed?.environment);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: handles the arrow keys of the buttons inside
    <div className={styles.matrix} onKeyDown={moveFocus}>
      <StackingTable
        caption="Effective rights"
        head={
          <tr>
            <th className={styles.person}>Person</th>
            {access.environments.map(({ id, name, production }) => (
              <th key={id}>
                {name} {production && <ProdChip />}
              </th>
            ))}
          </tr>
        }
      >
        {rows.map((one) => (
          <tr key={one.user.id}>
            <th scope="row" className={styles.person}>
              <PersonName row={one} />
            </th>
            {one.cells.map((is) => {
              const key = `${one.user.id} ${is.environment.id}`;
              const isPointed = row === one && cell === is;
              const point = (anchor: HTMLElement) => {
                stay();
                setPointed({ row: one.user.id, environment: is.environment.id, anchor });
              };
              return (
                <td
                  key={is.environment.id}
                  data-label={is.environment.name}
                  className={is.isChanged ? styles.changed : undefined}
                >
                  <button
                    type="button"
                    data-cell
                    className={styles.cell}
                    tabIndex={key === stop ? 0 : -1}
                    aria-label={`${one.user.name} in ${is.environment.name}: ${wordsOf(is)}`}
                    aria-describedby={isPointed ? reasonsId : undefined}
                    onFocus={({ currentTarget }) => {
                      setTabStop(key);
                      point(currentTarget);
                    }}
                    onBlur={leave}
                    onClick={({ currentTarget }) => point(currentTarget)}
                    onPointerEnter={({ currentTarget }) => point(currentTarget)}
                    onPointerLeave={({ pointerType }) => pointerType === 'mouse' && leave()}
                  >
                    <CellMarks cell={is} />
                  </button>
                </td>
              );
            })}
          </tr>
        ))}
      </StackingTable>
      {pointed && row && cell && (
        <RightsReasons
          id={reasonsId}
          row={row}
          cell={cell}
          anchor={pointed.anchor}
          onStay={stay}
          onLeave={leave}
          onClose={() => setPointed(undefined)}
        />
      )}
    </div>
  );
}

const reasonsId = 'reasons';

const CellMarks = ({ cell }: { readonly cell: RightsCell }) =>
  cell.isChanged || cell.after.view.may ? <RightsMarks cell={cell} /> : <span className={styles.none}>No access</span>;

function PersonName({ row: { user, groups } }: { readonly row: RightsRow }) {
  const me = useMe();
  return (
    <span className={styles.who}>
      <Avatar name={user.name} />
      <RowName below={groups.length > 0 ? groups.map(({ name }) => name).join(', ') : 'In no group'}>
        {user.name}
        {user.id === me.user.id && <span className={styles.aside}>you</span>}
        {user.status === 'PENDING' && <span className={styles.aside}>invited</span>}
      </RowName>
    </span>
  );
}

function moveFocus(event: KeyboardEvent<HTMLElement>): void {
  const cell = (event.target as Element).closest<HTMLElement>('[data-cell]');
  const cells = [...event.currentTarget.querySelectorAll<HTMLElement>('[data-cell]')];
  if (!cell) return;
  const width = cell.closest('tr')?.querySelectorAll('[data-cell]').length ?? 1;
  const step = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: width, ArrowUp: -width }[event.key];
  const next = step === undefined ? undefined : cells[cells.indexOf(cell) + step];
  if (!next) return;
  event.preventDefault();
  next.focus();
}
