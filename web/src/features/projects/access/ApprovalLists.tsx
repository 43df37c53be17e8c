import type { Approvals, EnvironmentAccess } from '#domain/rights.ts';
import { RowName, StackingTable } from '../../../administration/StackingTable.tsx';
import { TableCard } from '../../../administration/TableCard.tsx';
import { ProdChip, Unsaved } from '../../../kit/StatusChip.tsx';
import { Checkbox } from '../../../ui/Checkbox.tsx';
import { approvalsOf, isChangedIn } from './access-draft.ts';
import { useEditing } from './access-editing.ts';
import styles from './EnvironmentLists.module.css';
import { useEnvironmentEdit } from './EnvironmentLists.tsx';
import { GranteeChips } from './GranteeChips.tsx';

/** Where changes need the approval of someone else, who gives it, and what goes without. */
export function ApprovalLists() {
  const { access } = useEditing();
  return (
    <TableCard
      title="Approvals"
      lead="Where they are required, people propose changes, and someone else approves them before they are applied."
    >
      <StackingTable
        caption="Approvals in each environment"
        head={
          <tr>
            <th className={styles.name}>Environment</th>
            <th className={styles.editors}>Who approves</th>
            <th>Without approval</th>
          </tr>
        }
      >
        {access.environments.map((environment) => (
          <ApprovalRow key={environment.id} environment={environment} />
        ))}
      </StackingTable>
    </TableCard>
  );
}

function ApprovalRow({ environment }: { readonly environment: EnvironmentAccess }) {
  const { base } = useEditing();
  const { mayChange, saved, change } = useEnvironmentEdit(environment);
  const approvals = approvalsOf(environment);
  const before = saved && approvalsOf(saved);
  const { name } = environment;
  const { required, approvers, allowKills, skippers } = approvals;
  const set = (part: Partial<Approvals>) => change({ approvals: { ...approvals, ...part } });
  return (
    <tr className={isChangedIn(base, environment) ? styles.changed : undefined}>
      <th scope="row">
        <RowName below={isChangedIn(base, environment) && <Unsaved />}>
          {name}
          {environment.production && <ProdChip />}
        </RowName>
      </th>
      <td data-label="Who approves">
        <div className={styles.cell}>
          <Checkbox
            label={`Require approval in ${name}`}
            checked={required}
            disabled={!mayChange}
            onChange={({ target }) => set({ required: target.checked })}
          />
          {required && (
            <Checkbox
              label={`Only some people approve in ${name}`}
              checked={approvers.restricted}
              disabled={!mayChange}
              onChange={({ target }) => set({ approvers: { ...approvers, restricted: target.checked } })}
            />
          )}
          {required && !approvers.restricted && (
            <span className={styles.everyone}>Everyone who can edit definitions here</span>
          )}
          {required && approvers.restricted && (
            <GranteeChips
              label={`Can approve in ${name}`}
              grantees={approvers.grantees}
              saved={before?.approvers.restricted ? before.approvers.grantees : []}
              empty="Only administrators"
              onChange={(grantees) => set({ approvers: { restricted: true, grantees } })}
            />
          )}
        </div>
      </td>
      <td data-label="Without approval">
        {required ? (
          <div className={styles.cell}>
            <Checkbox
              label={`Kills in ${name}`}
              checked={allowKills}
              disabled={!mayChange}
              onChange={({ target }) => set({ allowKills: target.checked })}
            />
            <span className={styles.everyone}>Changes by</span>
            <GranteeChips
              label={`Need no approval in ${name}`}
              grantees={skippers}
              saved={before?.skippers ?? []}
              empty="Nobody"
              onChange={(list) => set({ skippers: list })}
            />
          </div>
        ) : (
          <span className={styles.everyone}>Everything</span>
        )}
      </td>
    </tr>
  );
}
