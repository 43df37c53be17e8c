import type { Approvals, EnvironmentAccess } from '#domain/rights.ts';
import { RowName, StackingTable } from '../../../administration/StackingTable.tsx';
import { ProdChip, Unsaved } from '../../../kit/StatusChip.tsx';
import { Checkbox } from '../../../ui/Checkbox.tsx';
import { TableCard } from '../TableCard.tsx';
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
  const isChanged = isChangedIn(base, environment, 'approvals');
  return (
    <tr className={isChanged ? styles.changed : undefined}>
      <th scope="row">
        <RowName below={isChanged && <Unsaved />}>
          {name}
          {environment.production && <ProdChip />}
        </RowName>
      </th>
      <td data-label="Who approves">
        <div className={styles.stack}>
          <Checkbox
            label={<Labelled text="Require approval" place={name} />}
            checked={required}
            disabled={!mayChange}
            onChange={({ target }) => set({ required: target.checked })}
          />
          {required && (
            <Checkbox
              label={<Labelled text="Only some people approve" place={name} />}
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
          <div className={styles.stack}>
            <Checkbox
              label={<Labelled text="Kills" place={name} />}
              checked={allowKills}
              disabled={!mayChange}
              onChange={({ target }) => set({ allowKills: target.checked })}
            />
            <div className={styles.cell}>
              <span className={styles.everyone}>Changes by</span>
              <GranteeChips
                label={`Need no approval in ${name}`}
                grantees={skippers}
                saved={before?.skippers ?? []}
                empty="nobody"
                onChange={(list) => set({ skippers: list })}
              />
            </div>
          </div>
        ) : (
          <span className={styles.everyone}>Everything</span>
        )}
      </td>
    </tr>
  );
}

/** The row shows the place; screen readers get it with the label. */
const Labelled = ({ text, place }: { readonly text: string; readonly place: string }) => (
  <>
    {text} <span className="sr">in {place}</span>
  </>
);
