import { ChevronsLeftRight, ChevronsRightLeft, Ellipsis } from 'lucide-react';
import { type DragEvent, useState } from 'react';
import { patchFlag } from '#contract/flags.ts';
import type { ListedFlag } from '#domain/definitions/summary.ts';
import type { RolloutStatus } from '#domain/rollout-statuses.ts';
import { Failure } from '../../kit/Failure.tsx';
import { ProdChip, RolloutStatusLabel } from '../../kit/StatusChip.tsx';
import { type Environment, useEnvironments, useProject } from '../../server/project.ts';
import { useWhyNot } from '../../server/rights.ts';
import { flagPath } from '../../state/paths.ts';
import { Avatar } from '../../ui/Avatar.tsx';
import { Button } from '../../ui/Button.tsx';
import { Menu, MenuItem } from '../../ui/Menu.tsx';
import { SkeletonRows } from '../../ui/Skeleton.tsx';
import { daysSince } from '../../ui/Time.tsx';
import styles from './Board.module.css';
import type { Move } from './Board.tsx';
import { isLong } from './board.ts';
import { ordered } from './columns.ts';
import { differenceOf, inWords, Picture, Words } from './EnvironmentCell.tsx';
import { CutName } from './FlagRow.tsx';
import { useFlagsInStatus } from './flags-query.ts';

const numbers = new Intl.NumberFormat('en');

interface Props {
  readonly status: RolloutStatus;
  /** All of the project, to move cards to. */
  readonly statuses: readonly RolloutStatus[];
  readonly count: number;
  readonly isOpen: boolean;
  readonly onFold: (isFolded: boolean) => void;
  readonly dragged: Move['flag'] | undefined;
  readonly onDrag: (flag: Move['flag'] | undefined) => void;
  readonly onMove: (move: Move) => void;
  readonly ownersOf: (flag: ListedFlag) => readonly string[];
}

/** The flags in one status. Folded, it is a strip with their number that takes cards, too. */
export function BoardColumn(props: Props) {
  const { status, count, isOpen, onFold, dragged, onMove } = props;
  const [isOver, setOver] = useState(false);
  const takes = dragged !== undefined && dragged.rolloutStatus.id !== status.id;
  const drop = {
    onDragOver: (event: DragEvent) => {
      if (!takes) return;
      event.preventDefault();
      setOver(true);
    },
    onDragLeave: (event: DragEvent) => {
      if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setOver(false);
    },
    onDrop: (event: DragEvent) => {
      event.preventDefault();
      setOver(false);
      if (takes) onMove({ flag: dragged, to: status });
    },
  };
  const classes = [isOpen ? styles.column : styles.folded, isOver && takes && styles.over];
  return (
    <div className={classes.filter(Boolean).join(' ')} data-status={status.id} {...drop}>
      {isOpen ? (
        <>
          <div className={styles.head}>
            <h2 className={styles.title}>
              <RolloutStatusLabel name={status.name} />
            </h2>
            <span className={styles.count}>{numbers.format(count)}</span>
            <Button look="quiet" size="tiny" aria-label={`Fold ${status.name}`} onClick={() => onFold(true)}>
              <ChevronsRightLeft size={14} aria-hidden />
            </Button>
          </div>
          <Cards {...props} />
        </>
      ) : (
        <button
          type="button"
          className={styles.strip}
          aria-label={`Unfold ${status.name}, ${count}`}
          onClick={() => onFold(false)}
        >
          <ChevronsLeftRight size={14} aria-hidden />
          <span className={styles.count}>{numbers.format(count)}</span>
          <span className={styles.upright}>
            <RolloutStatusLabel name={status.name} />
          </span>
        </button>
      )}
    </div>
  );
}

function Cards({ status, statuses, count, onDrag, onMove, ownersOf }: Props) {
  const { flags, error, isLoading, hasMore, isLoadingMore, loadMore, refetch } = useFlagsInStatus(status.id);
  const { lead, bars } = ordered(useEnvironments());
  const whyNot = useWhyNot();
  if (error) return <Failure problem={error} onRetry={refetch} />;
  if (isLoading) return <SkeletonRows rows={3} height={104} />;
  return (
    <ul className={styles.cards} aria-label={status.name}>
      {flags.map((flag) => (
        <Card
          key={flag.id}
          flag={flag}
          places={[lead, bars[0]].filter((one) => one !== undefined)}
          owners={ownersOf(flag)}
          statuses={statuses}
          refusal={flag.archivedAt === undefined ? whyNot(patchFlag, flag) : 'This flag is archived.'}
          onDrag={onDrag}
          onMove={onMove}
        />
      ))}
      {hasMore && (
        <li>
          <Button look="quiet" size="small" isBusy={isLoadingMore} onClick={loadMore}>
            {numbers.format(count - flags.length)} more
          </Button>
        </li>
      )}
    </ul>
  );
}

interface CardProps extends Pick<Props, 'statuses' | 'onDrag' | 'onMove'> {
  readonly flag: ListedFlag;
  /** Production, and the environment closest to it. */
  readonly places: readonly Environment[];
  readonly owners: readonly string[];
  readonly refusal: string | undefined;
}

function Card({ flag, places, owners, statuses, refusal, onDrag, onMove }: CardProps) {
  const project = useProject();
  const { name, rolloutStatus, definitions = [] } = flag;
  const days = daysSince(flag.rolloutStatusTimestamp);
  const inPlaces = places.map((place) => ({
    place,
    definition: definitions.find(({ environment }) => environment.id === place.id),
  }));
  const [lead, beside] = inPlaces;
  const difference =
    lead?.definition && beside?.definition && differenceOf(lead.definition, beside.definition, beside.place.name);
  const isOverdue = isLong(rolloutStatus.name, days);
  return (
    <li
      className={styles.card}
      data-card={flag.id}
      draggable={refusal === undefined}
      onDragStart={(event) => {
        event.dataTransfer.effectAllowed = 'move';
        event.dataTransfer.setData('text/plain', name);
        onDrag(flag);
      }}
      onDragEnd={() => onDrag(undefined)}
    >
      <div className={styles.top}>
        <a href={flagPath(project.name, name)} className={styles.name} title={name} draggable={false}>
          <CutName name={name} />
        </a>
        <Menu
          label={`Move ${name}`}
          trigger={(trigger) => (
            <Button look="quiet" size="tiny" aria-label={`Move ${name}`} {...trigger}>
              <Ellipsis size={14} aria-hidden />
            </Button>
          )}
        >
          {statuses.map((to) => (
            <MenuItem
              key={to.id}
              checked={to.id === rolloutStatus.id}
              refusal={refusal}
              onSelect={() => onMove({ flag, to })}
            >
              {to.name}
            </MenuItem>
          ))}
        </Menu>
      </div>
      {inPlaces.map(({ place, definition }) => (
        <p key={place.id} className={styles.place} title={`${place.name}: ${inWords(definition)}`}>
          {place.production ? <ProdChip /> : <span className={styles.where}>{place.name}</span>}
          <span className={styles.track}>
            <Picture definition={definition} />
          </span>
          <Words definition={definition} />
        </p>
      ))}
      <p className={styles.foot}>
        {owners.slice(0, 2).map((owner) => (
          <span key={owner} title={owner}>
            <Avatar name={owner} />
            <span className="sr">{owner}</span>
          </span>
        ))}
        {difference !== undefined && <span title={difference}>≠ Differs</span>}
        <span
          className={isOverdue ? `${styles.days} ${styles.long}` : styles.days}
          title={isOverdue ? `Long in ${rolloutStatus.name}` : undefined}
        >
          {days} d<span className="sr"> in this status</span>
        </span>
      </p>
    </li>
  );
}
