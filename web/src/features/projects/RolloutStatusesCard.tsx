import { useQuery } from '@tanstack/react-query';
import { listRolloutStatusesOfProject } from '#contract/rollout-statuses.ts';
import { reading } from '../../api.ts';
import { useProject } from '../../project.ts';
import { useMay } from '../../session.ts';
import { Card } from '../../ui/Card.tsx';
import { Loaded } from '../../ui/Loaded.tsx';
import { RolloutStatusLabel } from '../../ui/StatusChip.tsx';
import styles from './RolloutStatusesCard.module.css';

export function RolloutStatusesCard() {
  const project = useProject();
  const may = useMay();
  const statuses = useQuery({
    ...reading(listRolloutStatusesOfProject, { words: { project: project.id } }),
    enabled: may(listRolloutStatusesOfProject),
  });
  if (!may(listRolloutStatusesOfProject)) return null;
  return (
    <Card
      title="Rollout statuses"
      lead="How far a flag has come: a label that decides nothing. Every project has the same ones."
    >
      <Loaded query={statuses}>
        {(all) => (
          <ol className={styles.list}>
            {all.map(({ id, name, description }) => (
              <li key={id} className={styles.row}>
                <RolloutStatusLabel name={name} />
                <span className={styles.about}>{description}</span>
              </li>
            ))}
          </ol>
        )}
      </Loaded>
    </Card>
  );
}
