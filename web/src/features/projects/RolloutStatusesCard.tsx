import { useQuery } from '@tanstack/react-query';
import { listRolloutStatusesOfProject } from '#contract/rollout-statuses.ts';
import { Loaded } from '../../kit/Loaded.tsx';
import { descriptionOf } from '../../kit/rollout-status-words.ts';
import { RolloutStatusLabel } from '../../kit/StatusChip.tsx';
import { reading } from '../../server/api.ts';
import { useProject } from '../../server/project.ts';
import { useMay } from '../../server/session.ts';
import { Card } from '../../ui/Card.tsx';
import styles from './RolloutStatusesCard.module.css';

export function RolloutStatusesCard() {
  const project = useProject();
  const may = useMay();
  const statuses = useQuery({
    ...reading(listRolloutStatusesOfProject, { params: { project: project.id } }),
    enabled: may(listRolloutStatusesOfProject),
  });
  if (!may(listRolloutStatusesOfProject)) return null;
  return (
    <Card
      title="Rollout statuses"
      lead="Labels for the progress of a flag. They do not change what anyone gets. Every project has the same ones."
    >
      <Loaded query={statuses}>
        {(all) => (
          <ol className={styles.list}>
            {all.map((status) => (
              <li key={status.id} className={styles.row}>
                <RolloutStatusLabel name={status.name} />
                <span className={styles.about}>{descriptionOf(status)}</span>
              </li>
            ))}
          </ol>
        )}
      </Loaded>
    </Card>
  );
}
