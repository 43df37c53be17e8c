import { useQuery, useQueryClient } from '@tanstack/react-query';
import { ArrowDown, ArrowUp, Ellipsis, Pencil, Plus, Trash } from 'lucide-react';
import { useState } from 'react';
import { createRolloutStatus, listRolloutStatusesOfProject, moveRolloutStatus } from '#contract/rollout-statuses.ts';
import { countOf } from '../../administration/count.ts';
import { NameLink } from '../../administration/NameLink.tsx';
import { explain } from '../../kit/explain.ts';
import { Loaded } from '../../kit/Loaded.tsx';
import { descriptionOf } from '../../kit/rollout-status-words.ts';
import { RolloutStatusLabel } from '../../kit/StatusChip.tsx';
import { type Answer, call, reading } from '../../server/api.ts';
import type { ApiProblem } from '../../server/api-problem.ts';
import { useProject } from '../../server/project.ts';
import { useMay } from '../../server/session.ts';
import { toastFailure } from '../../state/toasts.ts';
import { Button } from '../../ui/Button.tsx';
import { Card } from '../../ui/Card.tsx';
import { Menu, MenuItem, MenuLine } from '../../ui/Menu.tsx';
import { DeleteStatusDialog, EditStatusDialog } from './RolloutStatusDialogs.tsx';
import styles from './RolloutStatusesCard.module.css';

export type UsedStatus = Answer<typeof listRolloutStatusesOfProject>[number];

export function RolloutStatusesCard() {
  const project = useProject();
  const may = useMay();
  const read = reading(listRolloutStatusesOfProject, { params: { project: project.id }, query: { expand: 'uses' } });
  const statuses = useQuery({ ...read, enabled: may(listRolloutStatusesOfProject) });
  const [isAdding, setAdding] = useState(false);
  if (!may(listRolloutStatusesOfProject)) return null;
  return (
    <Card
      title="Rollout statuses"
      lead="Labels for the progress of a flag. They do not change what anyone gets. New flags get the first one. Archived flags are counted too."
    >
      <Loaded query={statuses}>
        {(all) => (
          <ol className={styles.list}>
            {all.map((status, index) => (
              <li key={status.id} className={styles.row}>
                <RolloutStatusLabel name={status.name} />
                <span className={styles.about}>
                  {descriptionOf(status)} {status.permanent && 'Cleanup leaves its flags alone.'}
                </span>
                <span className={styles.count}>
                  {(status.flagCount ?? 0) > 0 && (
                    <NameLink
                      to="/p/$project/flags"
                      params={{ project: project.name }}
                      search={{ status: [status.id] }}
                    >
                      {countOf(status.flagCount ?? 0, 'flag')}
                    </NameLink>
                  )}
                </span>
                {may(createRolloutStatus) && <StatusMenu status={status} index={index} all={all} />}
              </li>
            ))}
          </ol>
        )}
      </Loaded>
      {may(createRolloutStatus) && (
        <div>
          <Button onClick={() => setAdding(true)}>
            <Plus size={14} aria-hidden /> Add rollout status
          </Button>
        </div>
      )}
      {isAdding && <EditStatusDialog onClose={() => setAdding(false)} />}
    </Card>
  );
}

interface MenuProps {
  readonly status: UsedStatus;
  readonly index: number;
  readonly all: readonly UsedStatus[];
}

function StatusMenu({ status, index, all }: MenuProps) {
  const project = useProject();
  const client = useQueryClient();
  const [open, setOpen] = useState<'edit' | 'delete'>();
  const close = () => setOpen(undefined);
  const moveBefore = async (before: UsedStatus | undefined) => {
    const params = { project: project.id, rolloutStatus: status.id };
    await call(moveRolloutStatus, { params, body: { before: before?.id ?? null } }).catch((problem: ApiProblem) =>
      toastFailure(`${status.name} was not moved. ${explain(problem)}`),
    );
    await client.invalidateQueries();
  };
  return (
    <>
      <Menu
        label={`More about ${status.name}`}
        trigger={(trigger) => (
          <Button look="quiet" size="icon" aria-label={`More about ${status.name}`} {...trigger}>
            <Ellipsis size={15} aria-hidden />
          </Button>
        )}
      >
        <MenuItem icon={Pencil} onSelect={() => setOpen('edit')}>
          Edit
        </MenuItem>
        {index > 0 && (
          <MenuItem icon={ArrowUp} onSelect={() => void moveBefore(all[index - 1])}>
            Move up
          </MenuItem>
        )}
        {index < all.length - 1 && (
          <MenuItem icon={ArrowDown} onSelect={() => void moveBefore(all[index + 2])}>
            Move down
          </MenuItem>
        )}
        {all.length > 1 && (
          <>
            <MenuLine />
            <MenuItem icon={Trash} look="danger" onSelect={() => setOpen('delete')}>
              Delete
            </MenuItem>
          </>
        )}
      </Menu>
      {open === 'edit' && <EditStatusDialog status={status} onClose={close} />}
      {open === 'delete' && <DeleteStatusDialog status={status} all={all} onClose={close} />}
    </>
  );
}
