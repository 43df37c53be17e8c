import { memo } from 'react';
import type { ListedFlag } from '#domain/definitions/summary.ts';
import { RolloutStatusLabel } from '../../kit/StatusChip.tsx';
import { type Environment, useProject } from '../../server/project.ts';
import { useMe } from '../../server/session.ts';
import { useDraftedEnvironments } from '../../state/drafts.ts';
import { flagPath } from '../../state/paths.ts';
import { Avatar } from '../../ui/Avatar.tsx';
import { BreakableName } from '../../ui/BreakableName.tsx';
import { Checkbox } from '../../ui/Checkbox.tsx';
import { Tag } from '../../ui/Chip.tsx';
import { ShortTime } from '../../ui/Time.tsx';
import { EnvironmentCell } from './EnvironmentCell.tsx';
import styles from './FlagRow.module.css';
import tableStyles from './FlagTable.module.css';

interface Props {
  readonly flag: ListedFlag;
  readonly environments: readonly Environment[];
  /** Owner names, one per line; undefined if no listed flag has an owner. */
  readonly owners: string | undefined;
  readonly isSelected: boolean;
  readonly onToggle: (id: string) => void;
}

function Row({ flag, environments, owners, isSelected, onToggle }: Props) {
  const project = useProject();
  const drafted = useDraftedEnvironments(useMe().user.id, flag.id);
  const { name, description, tags, rolloutStatus, rolloutStatusTimestamp, definitions = [] } = flag;
  const changedAt = Math.max(flag.creationTime, ...definitions.map(({ lastUpdateTime }) => lastUpdateTime));
  return (
    <tr className={isSelected ? styles.selected : styles.row}>
      <td className={styles.check}>
        <Checkbox
          label={<span className="sr">Select {name}</span>}
          checked={isSelected}
          onChange={() => onToggle(flag.id)}
        />
      </td>
      <th scope="row">
        <a href={flagPath(project.name, name)} className={styles.name} data-flag={flag.id}>
          <BreakableName name={name} />
        </a>
        <span className={styles.about}>
          {description !== '' && <span className={styles.description}>{description}</span>}
          {(tags ?? []).map((tag) => (
            <Tag key={tag.name}>{tag.name}</Tag>
          ))}
        </span>
      </th>
      <td className={styles.status}>
        <RolloutStatusLabel name={rolloutStatus.name} since={rolloutStatusTimestamp} />
      </td>
      {environments.map((environment) => (
        <EnvironmentCell
          key={environment.id}
          flag={flag}
          environment={environment}
          definition={definitions.find((definition) => definition.environment.id === environment.id)}
          hasDraft={drafted.includes(environment.id)}
        />
      ))}
      {owners !== undefined && (
        <td className={`${styles.owners} ${tableStyles.asides}`}>
          {owners
            .split('\n')
            .filter(Boolean)
            .map((owner) => (
              <span key={owner} title={owner}>
                <Avatar name={owner} />
                <span className="sr">{owner}</span>
              </span>
            ))}
        </td>
      )}
      <td className={`${styles.changed} ${tableStyles.asides}`}>
        <ShortTime at={changedAt} />
      </td>
    </tr>
  );
}

/** One flag. Memoised, because a list can have hundreds of rows. */
export const FlagRow = memo(Row);
