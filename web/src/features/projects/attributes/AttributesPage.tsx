import { useQuery, useQueryClient } from '@tanstack/react-query';
import { FileUp, Pencil, Plus, Trash } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { deleteAttribute, listAttributes, saveAttribute } from '#contract/attributes.ts';
import type { AttributeReply } from '#domain/attributes.ts';
import type { TrafficTypeReply } from '#domain/traffic-types.ts';
import { countOf, listed } from '../../../administration/count.ts';
import { RemoveModal } from '../../../administration/RemoveModal.tsx';
import { Nothing, RowName, StackingTable } from '../../../administration/StackingTable.tsx';
import { Loaded } from '../../../kit/Loaded.tsx';
import { SearchField } from '../../../kit/SearchField.tsx';
import { call, keyOf, reading } from '../../../server/api.ts';
import { useProject } from '../../../server/project.ts';
import { useWhyNot } from '../../../server/rights.ts';
import { useMay } from '../../../server/session.ts';
import { dataTypeWords } from '../../../targeting/use-attributes.ts';
import { Button } from '../../../ui/Button.tsx';
import { EmptyState } from '../../../ui/EmptyState.tsx';
import { Filters } from '../../../ui/FilterButton.tsx';
import { Page, PageHead } from '../../../ui/Page.tsx';
import { Tabs } from '../../../ui/Tabs.tsx';
import { useTrafficTypes } from '../project-changes.ts';
import { SettingsTabs } from '../SettingsTabs.tsx';
import { AttributeDialog } from './AttributeDialog.tsx';
import { ImportDialog } from './ImportDialog.tsx';

/** The declared attributes of each traffic type. */
export function AttributesPage() {
  const project = useProject();
  const trafficTypes = useTrafficTypes();
  const [chosen, setChosen] = useState<string>();
  return (
    <Page width="narrow">
      <PageHead
        title="Attributes"
        within={project.name}
        lead={<p>What applications send about a key, such as its country. Rules can use other attributes too.</p>}
      />
      <SettingsTabs />
      <Loaded query={trafficTypes}>
        {(all) => {
          const trafficType = all.find(({ id }) => id === chosen) ?? all[0];
          if (!trafficType)
            return <EmptyState title="No traffic types">Attributes belong to a traffic type.</EmptyState>;
          return (
            <>
              {all.length > 1 && (
                <Tabs
                  label="Traffic types"
                  tabs={all.map(({ id, name }) => ({ id, label: name }))}
                  selected={trafficType.id}
                  onSelect={setChosen}
                />
              )}
              <Attributes key={trafficType.id} trafficType={trafficType} />
            </>
          );
        }}
      </Loaded>
    </Page>
  );
}

type Asked =
  | { readonly what: 'new' | 'import' }
  | { readonly what: 'edit' | 'delete'; readonly attribute: AttributeReply };

function Attributes({ trafficType }: { readonly trafficType: TrafficTypeReply }) {
  const project = useProject();
  const may = useMay();
  const refused = useWhyNot()(saveAttribute);
  const refusal = refused ?? (may(saveAttribute) ? undefined : 'Only administrators can change attributes.');
  const params = { project: project.id, trafficType: trafficType.id };
  const query = useQuery(reading(listAttributes, { params }));
  const [asked, setAsked] = useState<Asked>();
  const [text, setText] = useState('');
  const close = () => setAsked(undefined);
  const tools = (
    <>
      <Button refusal={refusal} onClick={() => setAsked({ what: 'new' })}>
        <Plus size={14} aria-hidden /> New attribute
      </Button>
      <Button refusal={refusal} onClick={() => setAsked({ what: 'import' })}>
        <FileUp size={14} aria-hidden /> Import CSV
      </Button>
    </>
  );
  return (
    <>
      <Loaded query={query}>
        {(answer) => {
          const all = Array.isArray(answer) ? answer : answer.objects;
          return all.length === 0 ? (
            <EmptyState title={`No attributes of ${trafficType.name} yet`} action={tools}>
              Declared attributes are suggested in rules and in <i>Who sees what</i>, with their values.
            </EmptyState>
          ) : (
            <>
              <Filters>
                <SearchField label="Search attributes" value={text} onSearch={setText} />
                {tools}
              </Filters>
              <AttributeTable all={all} text={text} refusal={refusal} onAsk={setAsked} />
            </>
          );
        }}
      </Loaded>
      {asked?.what === 'new' && <AttributeDialog trafficType={trafficType} onClose={close} />}
      {asked?.what === 'edit' && (
        <AttributeDialog trafficType={trafficType} attribute={asked.attribute} onClose={close} />
      )}
      {asked?.what === 'import' && <ImportDialog trafficType={trafficType} onClose={close} />}
      {asked?.what === 'delete' && <DeleteDialog attribute={asked.attribute} onClose={close} />}
    </>
  );
}

/** Rows shown at once; the search finds the others. */
const maxShown = 100;

interface TableProps {
  readonly all: readonly AttributeReply[];
  readonly text: string;
  readonly refusal: string | undefined;
  readonly onAsk: (asked: Asked) => void;
}

function AttributeTable({ all, text, refusal, onAsk }: TableProps): ReactNode {
  const asked = text.toLowerCase();
  const found = all.filter(({ id, displayName }) => `${id} ${displayName}`.toLowerCase().includes(asked));
  if (found.length === 0) return <EmptyState title="No attributes match" />;
  return (
    <>
      <StackingTable
        caption="Attributes"
        head={
          <tr>
            <th scope="col">Name</th>
            <th scope="col">Type</th>
            <th scope="col">Suggested values</th>
            <th>
              <span className="sr">Actions</span>
            </th>
          </tr>
        }
      >
        {found.slice(0, maxShown).map((attribute) => (
          <tr key={attribute.id}>
            <th scope="row">
              <RowName
                below={[attribute.displayName === attribute.id ? '' : attribute.displayName, attribute.description]
                  .filter(Boolean)
                  .join(' · ')}
              >
                <span className="mono">{attribute.id}</span>
              </RowName>
            </th>
            <td data-label="Type">
              {attribute.dataType ? dataTypeWords[attribute.dataType] : <Nothing words="Any" />}
            </td>
            <td data-label="Suggested values">
              {attribute.suggestedValues.length > 0 ? listed(attribute.suggestedValues, 4) : <Nothing words="None" />}
            </td>
            <td data-tools>
              <Button
                look="quiet"
                size="icon"
                aria-label={`Edit ${attribute.id}`}
                refusal={refusal}
                onClick={() => onAsk({ what: 'edit', attribute })}
              >
                <Pencil size={15} aria-hidden />
              </Button>
              <Button
                look="quiet"
                size="icon"
                aria-label={`Delete ${attribute.id}`}
                refusal={refusal}
                onClick={() => onAsk({ what: 'delete', attribute })}
              >
                <Trash size={15} aria-hidden />
              </Button>
            </td>
          </tr>
        ))}
      </StackingTable>
      {found.length > maxShown && (
        <p role="status">
          The first {maxShown} of {countOf(found.length, 'attribute')}. Search to find the others.
        </p>
      )}
    </>
  );
}

interface DeleteProps {
  readonly attribute: AttributeReply;
  readonly onClose: () => void;
}

function DeleteDialog({ attribute: { id, trafficTypeId }, onClose }: DeleteProps) {
  const project = useProject();
  const client = useQueryClient();
  return (
    <RemoveModal
      title={`Delete ${id}?`}
      about="Rules that use it keep working. It and its values are no longer suggested."
      submit="Delete attribute"
      send={() => call(deleteAttribute, { params: { project: project.id, trafficType: trafficTypeId, attribute: id } })}
      done={`Deleted ${id}.`}
      refresh={() => client.invalidateQueries({ queryKey: keyOf(listAttributes) })}
      onClose={onClose}
    />
  );
}
