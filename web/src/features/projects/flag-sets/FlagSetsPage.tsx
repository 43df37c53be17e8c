import { useQuery } from '@tanstack/react-query';
import { Plus, Trash } from 'lucide-react';
import { useState } from 'react';
import { createFlagSet, deleteFlagSet } from '#contract/flag-sets.ts';
import type { FlagSetReply } from '#domain/flag-sets.ts';
import { countOf } from '../../../administration/count.ts';
import { RowName, StackingTable } from '../../../administration/StackingTable.tsx';
import { flagSetsReading } from '../../../kit/flag-sets.ts';
import { Loaded } from '../../../kit/Loaded.tsx';
import { useProject } from '../../../server/project.ts';
import { useWhyNot } from '../../../server/rights.ts';
import { Button } from '../../../ui/Button.tsx';
import { EmptyState } from '../../../ui/EmptyState.tsx';
import { Page, PageHead } from '../../../ui/Page.tsx';
import { SettingsTabs } from '../SettingsTabs.tsx';
import { DeleteFlagSetDialog } from './DeleteFlagSetDialog.tsx';
import { FlagsInSet } from './FlagsInSet.tsx';
import { NewFlagSetDialog } from './NewFlagSetDialog.tsx';

/** Rows shown at first: each asks for its flags. */
const pageSize = 20;

export function FlagSetsPage() {
  const project = useProject();
  const whyNot = useWhyNot();
  const query = useQuery(flagSetsReading(project.id));
  const [isAdding, setAdding] = useState(false);
  const add = (
    <Button refusal={whyNot(createFlagSet)} onClick={() => setAdding(true)}>
      <Plus size={14} aria-hidden /> New flag set
    </Button>
  );
  return (
    <Page width="narrow">
      <PageHead
        title="Flag sets"
        within={project.name}
        tools={query.data && query.data.length > 0 && add}
        lead={<p>Named sets of flags. A definition says which sets it is in, separately in each environment.</p>}
      />
      <SettingsTabs />
      <Loaded query={query}>
        {(flagSets) =>
          flagSets.length === 0 ? (
            <EmptyState title="No flag sets yet" action={add}>
              An SDK can fetch only the flags of some sets.
            </EmptyState>
          ) : (
            <FlagSetTable flagSets={flagSets} />
          )
        }
      </Loaded>
      {isAdding && <NewFlagSetDialog onClose={() => setAdding(false)} />}
    </Page>
  );
}

function FlagSetTable({ flagSets }: { readonly flagSets: readonly FlagSetReply[] }) {
  const refusal = useWhyNot()(deleteFlagSet);
  const [shown, setShown] = useState(pageSize);
  const [deleting, setDeleting] = useState<FlagSetReply>();
  return (
    <>
      <StackingTable
        caption="Flag sets"
        head={
          <tr>
            <th scope="col">Name</th>
            <th scope="col">Flags</th>
            <th>
              <span className="sr">Actions</span>
            </th>
          </tr>
        }
      >
        {flagSets.slice(0, shown).map((flagSet) => (
          <tr key={flagSet.id}>
            <th scope="row">
              <RowName below={flagSet.description}>
                <span className="mono">{flagSet.name}</span>
              </RowName>
            </th>
            <td data-label="Flags">
              <FlagsInSet id={flagSet.id} />
            </td>
            <td data-tools>
              <Button
                look="quiet"
                size="icon"
                aria-label={`Delete ${flagSet.name}`}
                refusal={refusal}
                onClick={() => setDeleting(flagSet)}
              >
                <Trash size={15} aria-hidden />
              </Button>
            </td>
          </tr>
        ))}
      </StackingTable>
      {flagSets.length > shown && (
        <div>
          <Button onClick={() => setShown(shown + pageSize)}>
            Show more of {countOf(flagSets.length, 'flag set')}
          </Button>
        </div>
      )}
      {deleting && <DeleteFlagSetDialog flagSet={deleting} onClose={() => setDeleting(undefined)} />}
    </>
  );
}
