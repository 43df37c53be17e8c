import { lazy, memo, Suspense } from 'react';
import type { ListedFlag } from '#domain/definitions/summary.ts';
import { RolloutStatusLabel } from '../../kit/StatusChip.tsx';
import { type Environment, useProject } from '../../server/project.ts';
import { flagPath } from '../../state/paths.ts';
import { Avatar } from '../../ui/Avatar.tsx';
import { RowCheckbox } from '../../ui/Checkbox.tsx';
import { Tag } from '../../ui/Chip.tsx';
import { Skeleton } from '../../ui/Skeleton.tsx';
import { ShortTime } from '../../ui/Time.tsx';
import type { ShownColumns } from './columns.ts';
import { BarCell, LeadCell } from './EnvironmentCell.tsx';
import styles from './FlagTable.module.css';
import type { Traffic } from './traffic-query.ts';

const TrafficCell = lazy(() => import('./TrafficCell.tsx').then((module) => ({ default: module.TrafficCell })));

interface Props {
  readonly flag: ListedFlag;
  /** Its place in the list. */
  readonly index: number;
  readonly shown: ShownColumns;
  /** The ids of environments in which the user has a draft. */
  readonly drafted: readonly string[] | undefined;
  readonly traffic: Traffic | undefined;
  /** Owner names, one per line. */
  readonly owners: string;
  readonly isSelected: boolean;
  readonly onToggle: (flag: ListedFlag) => void;
}

function Row({ flag, index, shown, drafted, traffic, owners, isSelected, onToggle }: Props) {
  const project = useProject();
  const { columns, lead, bars } = shown;
  const { name, description, rolloutStatus, rolloutStatusTimestamp, definitions = [] } = flag;
  const inEnvironment = (environment: Environment) => ({
    environment,
    href: flagPath(project.name, name, environment.name),
    definition: definitions.find((one) => one.environment.id === environment.id),
    hasDraft: drafted?.includes(environment.id) ?? false,
  });
  const [beside] = bars;
  return (
    <tr role="row" aria-rowindex={index + 2} aria-selected={isSelected} className={styles.row}>
      <td role="cell" className={styles.check}>
        <RowCheckbox label={`Select ${name}`} checked={isSelected} onChange={() => onToggle(flag)} />
      </td>
      <th scope="row" role="rowheader" className={styles.nameCell}>
        <a
          href={flagPath(project.name, name)}
          className={styles.name}
          data-flag={flag.id}
          data-index={index}
          title={name}
        >
          <CutName name={name} />
        </a>
      </th>
      {columns.has('description') && (
        <td role="cell" className={`${styles.text} ${styles.description}`} title={description}>
          {description}
        </td>
      )}
      {columns.has('tags') && <Tags names={(flag.tags ?? []).map((tag) => tag.name)} />}
      {columns.has('type') && (
        <td role="cell" className={`${styles.text} ${styles.type}`}>
          {flag.trafficType.name}
        </td>
      )}
      {columns.has('status') && (
        <td role="cell" className={styles.status} title={rolloutStatus.name}>
          <RolloutStatusLabel name={rolloutStatus.name} since={rolloutStatusTimestamp} />
        </td>
      )}
      {lead && <LeadCell {...inEnvironment(lead)} beside={beside && { name: beside.name, ...inEnvironment(beside) }} />}
      {bars.map((environment, at) => (
        <BarCell key={environment.id} isFirst={at === 0} {...inEnvironment(environment)} />
      ))}
      {columns.has('evaluations') && (
        <Suspense fallback={<td role="cell" className={styles.traffic} />}>
          <TrafficCell flag={flag} traffic={traffic} />
        </Suspense>
      )}
      {columns.has('owner') && (
        <td role="cell" className={styles.owners}>
          <Owners names={owners.split('\n').filter(Boolean)} />
        </td>
      )}
      {columns.has('created') && (
        <td role="cell" className={styles.time}>
          <ShortTime at={flag.creationTime} />
        </td>
      )}
      {columns.has('changed') && (
        <td role="cell" className={styles.changed}>
          <ShortTime at={flag.lastUpdateTime ?? flag.creationTime} />
        </td>
      )}
    </tr>
  );
}

/**
 * One flag. Memoised, because scrolling renders the list again. Texts for screen readers are labels, not hidden elements:
 * with those in the rows, Chromium paints all rows again whenever one comes into sight. Roles are written out because
 * Safari forgets those of a table whose rows are flex boxes.
 */
export const FlagRow = memo(Row);

/** How much of the end of a name always stays. The style sheet leaves room for as many characters. */
const endLength = 8;

/** Long names lose their middle: what tells them apart is often at the end. */
export const CutName = ({ name }: { readonly name: string }) =>
  name.length <= 2 * endLength ? (
    name
  ) : (
    <>
      <span className={styles.start}>{name.slice(0, -endLength)}</span>
      <span className={styles.end}>{name.slice(-endLength)}</span>
    </>
  );

const Tags = ({ names }: { readonly names: readonly string[] }) => (
  <td role="cell" className={styles.tags} title={names.join(', ')}>
    {names.slice(0, 1).map((name) => (
      <Tag key={name}>{name}</Tag>
    ))}
    {names.length > 1 && (
      <span className={styles.more} role="img" aria-label={`and ${names.slice(1).join(', ')}`}>
        +{names.length - 1}
      </span>
    )}
  </td>
);

/** A row whose page is loading. */
export const LoadingRow = ({ index, cells }: { readonly index: number; readonly cells: number }) => (
  <tr role="row" aria-rowindex={index + 2} className={styles.row}>
    <td role="cell" className={styles.check} />
    <td role="cell" className={styles.nameCell} colSpan={cells - 1} aria-label="Loading">
      <Skeleton width="32%" height={14} />
    </td>
  </tr>
);

/** There is room for two: an avatar and the number of the others, if there are more. */
function Owners({ names }: { names: readonly string[] }) {
  const shown = names.length > 2 ? names.slice(0, 1) : names;
  const others = names.slice(shown.length);
  return (
    <>
      {shown.map((name, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two people can have one name
        <Avatar key={place} name={name} isAlone />
      ))}
      {others.length > 0 && <small title={others.join(', ')}> +{others.length}</small>}
    </>
  );
}
