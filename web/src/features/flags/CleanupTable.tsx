import { Archive, Ellipsis, Tag, TimerReset, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { unkeepFlag } from '#contract/cleanup.ts';
import { patchFlag } from '#contract/flags.ts';
import type { CleanupFlag } from '#domain/cleanup.ts';
import type { Reference } from '#domain/schema.ts';
import { useOwnerNames } from '../../administration/owner-names.ts';
import { TreatmentName } from '../../kit/Bar.tsx';
import { call } from '../../server/api.ts';
import { useProject } from '../../server/project.ts';
import { useWhyNot } from '../../server/rights.ts';
import { Avatar } from '../../ui/Avatar.tsx';
import { BreakableName } from '../../ui/BreakableName.tsx';
import { Button } from '../../ui/Button.tsx';
import { Checkbox } from '../../ui/Checkbox.tsx';
import { Menu, MenuItem, MenuLine } from '../../ui/Menu.tsx';
import { Table } from '../../ui/Table.tsx';
import { PlainButtonLink, TextLink } from '../../ui/TextLink.tsx';
import styles from './Cleanup.module.css';
import { CleanupDialog, type CleanupStep, useArchiveStep, useWhyNotArchive } from './CleanupDialogs.tsx';
import { callsInWords, notesOf, shortLength, startOf, whereInWords } from './cleanup-words.ts';
import { useEachFlag } from './each-flag.ts';
import { useRolloutStatuses } from './flags-query.ts';

interface Props {
  readonly title: string;
  readonly lead: string;
  readonly count: number;
  readonly flags: readonly CleanupFlag[];
  /** The environments that decide. */
  readonly decisive: readonly Reference[];
  /** Ids; without them, flags cannot be selected. */
  readonly selected?: ReadonlySet<string>;
  readonly onSelect?: (ids: ReadonlySet<string>) => void;
}

/** How many are shown before someone asks for more. */
const shownFirst = 10;

/** One group of flags. */
export function CleanupTable({ title, lead, count, flags, decisive, selected, onSelect }: Props) {
  const [isWhole, setWhole] = useState(false);
  const [step, setStep] = useState<CleanupStep>();
  const archive = useArchiveStep(() => setStep('archive'));
  const whyNot = useWhyNotArchive();
  const shown = isWhole ? flags : flags.slice(0, shownFirst);
  const toggle = (ids: readonly string[], isOn: boolean) => {
    const after = new Set(selected);
    for (const id of ids)
      if (isOn) after.add(id);
      else after.delete(id);
    onSelect?.(after);
  };
  const isSafe = flags[0]?.group === 'safe';
  return (
    <section className={styles.group} aria-label={title}>
      <div className={styles.groupHead}>
        <div>
          <h2>
            {title} <span className={styles.number}>{count}</span>
          </h2>
          <p className={styles.groupLead}>{lead}</p>
        </div>
        <div className={styles.groupTools}>
          {flags.length > shown.length && (
            <Button look="quiet" onClick={() => setWhole(true)}>
              Show {flags.length - shown.length} more
            </Button>
          )}
          {isSafe && flags.length > 1 && (
            <Button refusal={flags.map(whyNot).find(Boolean)} onClick={() => archive(flags)}>
              Archive all {flags.length}
            </Button>
          )}
        </div>
      </div>
      <Table
        caption={title}
        fixedWidth={980}
        head={
          <tr>
            {onSelect && (
              <th className={styles.check}>
                <Checkbox
                  label={<span className="sr">Select all in {title}</span>}
                  checked={shown.every(({ id }) => selected?.has(id))}
                  onChange={({ target }) =>
                    toggle(
                      shown.map(({ id }) => id),
                      target.checked,
                    )
                  }
                />
              </th>
            )}
            <th className={styles.flag}>Flag</th>
            <th className={styles.gets}>Everyone gets</th>
            <th className={styles.time}>For</th>
            <th>Calls per day, last 24 days</th>
            <th className={styles.owner}>Owner</th>
            <th className={styles.actions}>
              <span className="sr">Actions</span>
            </th>
          </tr>
        }
      >
        {shown.map((flag) => (
          <Row
            key={flag.id}
            flag={flag}
            decisive={decisive}
            isSelected={selected?.has(flag.id) ?? false}
            onToggle={onSelect && ((isOn) => toggle([flag.id], isOn))}
          />
        ))}
      </Table>
      <CleanupDialog step={step} flags={flags} onClose={() => setStep(undefined)} />
    </section>
  );
}

interface RowProps {
  readonly flag: CleanupFlag;
  readonly decisive: readonly Reference[];
  readonly isSelected: boolean;
  readonly onToggle: ((isOn: boolean) => void) | undefined;
}

function Row({ flag, decisive, isSelected, onToggle }: RowProps) {
  const project = useProject();
  const nameOf = useOwnerNames();
  const now = Date.now();
  const notes = notesOf(flag);
  return (
    <tr aria-selected={onToggle ? isSelected : undefined}>
      {onToggle && (
        <td className={styles.check}>
          <Checkbox
            label={<span className="sr">Select {flag.name}</span>}
            checked={isSelected}
            onChange={({ target }) => onToggle(target.checked)}
          />
        </td>
      )}
      <th scope="row" className={styles.flag}>
        <TextLink to="/p/$project/flags/$flag" params={{ project: project.name, flag: flag.name }}>
          <span className="mono">
            <BreakableName name={flag.name} />
          </span>
        </TextLink>
      </th>
      <td>
        <Gets flag={flag} decisive={decisive} />
      </td>
      <td className="num">
        <b>{shortLength(now - startOf(flag))}</b>
      </td>
      <td>
        <span className={styles.callsCell}>
          <Spark perDay={flag.calls?.perDay ?? []} />
          <span>
            {callsInWords(flag, now)}
            {notes.map((note) => (
              <span key={note} className={styles.note}>
                {note}
              </span>
            ))}
          </span>
        </span>
      </td>
      <td>
        {flag.owners.slice(0, 2).map(({ id }) => {
          const name = nameOf(id);
          return (
            name !== undefined && (
              <span key={id} title={name}>
                <Avatar name={name} />
                <span className="sr">{name}</span>
              </span>
            )
          );
        })}
      </td>
      <td className={styles.actions}>
        <Actions flag={flag} />
      </td>
    </tr>
  );
}

function Gets({ flag, decisive }: Pick<RowProps, 'flag' | 'decisive'>) {
  const { treatment, killedIn, definedIn } = flag;
  if (killedIn.length > 0) {
    return (
      <>
        {treatment !== undefined && <TreatmentName treatment={treatment} order={[treatment]} />}{' '}
        <b className={styles.killed}>Killed</b> in {killedIn.map(({ name }) => name).join(', ')}
      </>
    );
  }
  if (treatment !== undefined) {
    return (
      <>
        <TreatmentName treatment={treatment} order={[treatment]} /> 100% {whereInWords(flag, decisive)}
      </>
    );
  }
  if (definedIn.length === 0) return 'Nothing: it is not defined';
  const isElsewhere = !definedIn.some(({ id }) => decisive.some((one) => one.id === id));
  return isElsewhere ? `Nothing here: only in ${definedIn.map(({ name }) => name).join(', ')}` : 'Several treatments';
}

/** Height in pixels. */
const sparkHeight = 20;

const Spark = ({ perDay }: { readonly perDay: readonly number[] }) => {
  const most = Math.max(...perDay, 0);
  return (
    <svg className={styles.spark} width={96} height={sparkHeight} aria-hidden>
      {most === 0 ? (
        <line x1={0} x2={96} y1={sparkHeight - 1} y2={sparkHeight - 1} className={styles.none} />
      ) : (
        perDay.map((count, day) => {
          const height = count === 0 ? 0 : Math.max(1.5, (count / most) * sparkHeight);
          // biome-ignore lint/suspicious/noArrayIndexKey: days do not move
          return <rect key={day} x={day * 4} y={sparkHeight - height} width={3} height={height} rx={0.5} />;
        })
      )}
    </svg>
  );
};

/** The next step of the group, and a menu with the others. */
function Actions({ flag }: { readonly flag: CleanupFlag }) {
  const [step, setStep] = useState<CleanupStep>();
  const archive = useArchiveStep(() => setStep('archive'));
  const refusal = useWhyNot()(patchFlag, { owners: flag.owners });
  const archiveRefusal = useWhyNotArchive()(flag);
  const unkeep = useUnkeep();
  return (
    <span className={styles.buttons}>
      <NextStep flag={flag} onArchive={() => archive([flag])} archiveRefusal={archiveRefusal} />
      <Menu
        label={`More for ${flag.name}`}
        trigger={(trigger) => (
          <Button look="quiet" size="icon" aria-label={`More for ${flag.name}`} {...trigger}>
            <Ellipsis size={16} aria-hidden />
          </Button>
        )}
      >
        {flag.keep && flag.group === 'kept' ? (
          <MenuItem icon={TimerReset} refusal={refusal} onSelect={() => void unkeep(flag)}>
            Keep no longer
          </MenuItem>
        ) : (
          <MenuItem icon={TimerReset} refusal={refusal} onSelect={() => setStep('keep')}>
            Keep
          </MenuItem>
        )}
        <MenuItem icon={Tag} refusal={refusal} onSelect={() => setStep('status')}>
          Set status
        </MenuItem>
        <MenuItem icon={Archive} refusal={archiveRefusal} onSelect={() => archive([flag])}>
          Archive
        </MenuItem>
        <MenuLine />
        <MenuItem icon={Trash2} look="danger" refusal={archiveRefusal} onSelect={() => setStep('delete')}>
          Delete
        </MenuItem>
      </Menu>
      <CleanupDialog step={step} flags={[flag]} onClose={() => setStep(undefined)} />
    </span>
  );
}

interface StepProps {
  readonly flag: CleanupFlag;
  readonly onArchive: () => void;
  readonly archiveRefusal: string | undefined;
}

const released = '100% Released';

function NextStep({ flag, onArchive, archiveRefusal }: StepProps) {
  const project = useProject();
  const statuses = useRolloutStatuses();
  const eachFlag = useEachFlag();
  const refusal = useWhyNot()(patchFlag, { owners: flag.owners });
  const status = statuses.data?.find(({ name }) => name === released);
  if (flag.group === 'safe') {
    return (
      <Button size="small" refusal={archiveRefusal} onClick={onArchive}>
        Archive
      </Button>
    );
  }
  // A note would have to be asked for.
  const canMark = status && flag.group === 'code' && flag.rolloutStatus.name !== released;
  if (canMark && !project.requiresTitleAndComments) {
    const mark = () =>
      eachFlag(
        [flag],
        ({ name }) =>
          call(patchFlag, {
            params: { project: project.id, flag: name },
            body: [{ op: 'replace', path: '/rolloutStatus/id', value: status.id }],
          }),
        (what) => `Set the status of ${what} to ${released}.`,
      );
    return (
      <Button size="small" refusal={refusal} onClick={() => void mark()}>
        Mark as released
      </Button>
    );
  }
  return (
    <PlainButtonLink to="/p/$project/flags/$flag" params={{ project: project.name, flag: flag.name }}>
      Open
    </PlainButtonLink>
  );
}

function useUnkeep() {
  const project = useProject();
  const eachFlag = useEachFlag();
  return (flag: CleanupFlag) =>
    eachFlag(
      [flag],
      ({ name }) => call(unkeepFlag, { params: { project: project.id, flag: name } }),
      (what) => `${what} is listed again.`,
    );
}
