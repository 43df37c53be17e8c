import { Columns3 } from 'lucide-react';
import { ProdChip } from '../../kit/StatusChip.tsx';
import { useEnvironments } from '../../server/project.ts';
import { Button } from '../../ui/Button.tsx';
import { Checkbox } from '../../ui/Checkbox.tsx';
import { Popover } from '../../ui/Popover.tsx';
import styles from './ColumnMenu.module.css';
import { type ColumnId, columnNames, isWantedBar, isWantedColumn, ordered } from './columns.ts';
import { useColumns } from './views-query.ts';

/** Which columns the list shows, where there is room. */
export function ColumnMenu() {
  const { choices, choose } = useColumns();
  const { lead, bars } = ordered(useEnvironments());
  const set = (name: string, is: boolean) => choose({ ...choices, [name]: is });
  return (
    <span className={styles.whole}>
      <Popover
        label="Columns"
        align="end"
        trigger={(trigger) => (
          <Button {...trigger}>
            <Columns3 size={14} strokeWidth={1.75} aria-hidden /> Columns
          </Button>
        )}
      >
        {() => (
          <div className={styles.menu}>
            <fieldset>
              <legend>Environments</legend>
              {lead && (
                <Checkbox
                  checked
                  disabled
                  readOnly
                  label={
                    <span className={styles.pinned}>
                      {lead.name} {lead.production && <ProdChip />} <small>Pinned</small>
                    </span>
                  }
                />
              )}
              {bars.map((environment, index) => (
                <Checkbox
                  key={environment.id}
                  data-autofocus={index === 0 || undefined}
                  label={
                    <>
                      {environment.name} {environment.production && <ProdChip />}
                    </>
                  }
                  checked={isWantedBar(environment, index, choices)}
                  onChange={({ target }) => set(`env:${environment.name}`, target.checked)}
                />
              ))}
            </fieldset>
            <fieldset>
              <legend>Columns</legend>
              {(Object.keys(columnNames) as ColumnId[]).map((id) => (
                <Checkbox
                  key={id}
                  label={columnNames[id]}
                  checked={isWantedColumn(id, choices)}
                  onChange={({ target }) => set(id, target.checked)}
                />
              ))}
            </fieldset>
          </div>
        )}
      </Popover>
    </span>
  );
}
