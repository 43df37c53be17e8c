import { UserRoundMinus } from 'lucide-react';
import type { EnvironmentAccess } from '#domain/rights.ts';
import { RowName, StackingTable } from '../../../administration/StackingTable.tsx';
import { ProdChip, Unsaved } from '../../../kit/StatusChip.tsx';
import chips from '../../../ui/ChipsField.module.css';
import { TableCard } from '../TableCard.tsx';
import { isChangedIn } from './access-draft.ts';
import { useEditing } from './access-editing.ts';
import styles from './EnvironmentLists.module.css';
import { GranteeChips } from './GranteeChips.tsx';

/** Who can edit definitions in each environment, and who besides them can kill and restore. */
export function EnvironmentLists() {
  const { access } = useEditing();
  return (
    <TableCard
      title="Environments"
      lead="Narrow who can edit here. Kill and restore can go to more people, so that whoever is on call can act."
    >
      <StackingTable
        caption="Who can act in each environment"
        head={
          <tr>
            <th className={styles.name}>Environment</th>
            <th className={styles.editors}>Can edit definitions</th>
            <th>Can kill and restore</th>
          </tr>
        }
      >
        {access.environments.map((environment) => (
          <EnvironmentRow key={environment.id} environment={environment} />
        ))}
      </StackingTable>
    </TableCard>
  );
}

function EnvironmentRow({ environment }: { readonly environment: EnvironmentAccess }) {
  const { base } = useEditing();
  const isChanged = isChangedIn(base, environment, 'editors', 'killers');
  return (
    <tr className={isChanged ? styles.changed : undefined}>
      <th scope="row">
        <RowName below={isChanged && <Unsaved />}>
          {environment.name}
          {environment.production && <ProdChip />}
        </RowName>
      </th>
      <td data-label="Can edit">
        <Editors environment={environment} />
      </td>
      <td data-label="Can kill">
        <Killers environment={environment} />
      </td>
    </tr>
  );
}

export function useEnvironmentEdit({ id }: EnvironmentAccess) {
  const { base, mayChange, edit } = useEditing();
  return {
    mayChange,
    saved: base.environments.find((one) => one.id === id),
    change: (part: Partial<EnvironmentAccess>) =>
      edit((all) => ({
        ...all,
        environments: all.environments.map((one) => (one.id === id ? { ...one, ...part } : one)),
      })),
  };
}

function Editors({ environment }: { readonly environment: EnvironmentAccess }) {
  const { mayChange, saved, change } = useEnvironmentEdit(environment);
  const { name, editors } = environment;
  const label = `Can edit definitions in ${name}`;
  if (!editors.restricted) {
    return (
      <div className={styles.cell}>
        <span className={styles.everyone}>Everyone who can edit the project</span>
        <button
          type="button"
          className={`${chips.add} ${styles.limit}`}
          disabled={!mayChange}
          onClick={() => change({ editors: { ...editors, restricted: true } })}
        >
          <UserRoundMinus size={13} aria-hidden /> Limit <span className="sr">who can edit definitions in {name}</span>
        </button>
      </div>
    );
  }
  return (
    <div className={styles.cell}>
      <GranteeChips
        label={label}
        grantees={editors.grantees}
        saved={saved?.editors.restricted ? saved.editors.grantees : []}
        empty="Only administrators"
        onChange={(grantees) => change({ editors: { restricted: true, grantees } })}
      />
      {mayChange && (
        <button
          type="button"
          className={styles.open}
          onClick={() => change({ editors: { ...editors, restricted: false } })}
        >
          Remove limit <span className="sr">in {name}</span>
        </button>
      )}
    </div>
  );
}

function Killers({ environment }: { readonly environment: EnvironmentAccess }) {
  const { saved, change } = useEnvironmentEdit(environment);
  return (
    <div className={styles.cell}>
      <span className={styles.everyone}>Everyone who can edit here{environment.killers.length > 0 && ', and'}</span>
      <GranteeChips
        label={`Can kill and restore in ${environment.name}`}
        grantees={environment.killers}
        saved={saved?.killers ?? []}
        onChange={(killers) => change({ killers })}
      />
    </div>
  );
}
