import { useQuery } from '@tanstack/react-query';
import { ArrowDown, ArrowUp } from 'lucide-react';
import { Fragment, useState } from 'react';
import { revokeApiKey, updateApiKey } from '#contract/api-keys.ts';
import { Nothing, RowName, StackingTable } from '../../administration/StackingTable.tsx';
import { type ApiKeyAnswer, apiKeysReading } from '../../administration/whole-lists.ts';
import { useEditorName } from '../../kit/EditorName.tsx';
import { ProdChip } from '../../kit/StatusChip.tsx';
import { SdkCode } from '../../sdks/SdkCode.tsx';
import { useMay } from '../../server/session.ts';
import { Button } from '../../ui/Button.tsx';
import { Tag } from '../../ui/Chip.tsx';
import { Modal, ModalBody, ModalFoot } from '../../ui/Modal.tsx';
import { Time } from '../../ui/Time.tsx';
import { EditKeyDialog } from './EditKeyDialog.tsx';
import styles from './KeyTable.module.css';
import { ExpiryNote } from './key-expiry.tsx';
import { type KeySort, nextOrder, orderOf } from './key-order.ts';
import { type Place, usePlaces } from './key-places.ts';
import { roleWord, types } from './key-words.ts';
import { useKeysSearch } from './keys-search.ts';
import { RevokeDialog } from './RevokeDialog.tsx';

export function KeyTable({ keys }: { readonly keys: readonly ApiKeyAnswer[] }) {
  const may = useMay();
  const placeOf = usePlaces();
  const [editing, setEditing] = useState<ApiKeyAnswer>();
  const [revoking, setRevoking] = useState<ApiKeyAnswer>();
  const [coding, setCoding] = useState<ApiKeyAnswer>();
  return (
    <>
      <StackingTable
        caption="API keys"
        head={
          <tr>
            <SortHead by="name">Name</SortHead>
            <th>Type and roles</th>
            <th>Scope</th>
            <SortHead by="created">Created</SortHead>
            <SortHead by="used">Last used</SortHead>
            <th>
              <span className="sr">Actions</span>
            </th>
          </tr>
        }
      >
        {keys.map((key) => (
          <KeyRow
            key={key.id}
            apiKey={key}
            place={placeOf(key)}
            onCode={key.apiKeyType === 'admin' ? undefined : () => setCoding(key)}
            onEdit={may(updateApiKey) ? () => setEditing(key) : undefined}
            onRevoke={may(revokeApiKey) ? () => setRevoking(key) : undefined}
          />
        ))}
      </StackingTable>
      {editing && <EditKeyDialog apiKey={editing} onClose={() => setEditing(undefined)} />}
      {revoking && <RevokeDialog apiKey={revoking} place={placeOf(revoking)} onClose={() => setRevoking(undefined)} />}
      {coding && <CodeDialog apiKey={coding} onClose={() => setCoding(undefined)} />}
    </>
  );
}

function SortHead({ by, children }: { readonly by: KeySort; readonly children: string }) {
  const { search, change } = useKeysSearch();
  const order = orderOf(search.sort);
  const isCurrent = order.by === by;
  const Arrow = order.isDescending ? ArrowDown : ArrowUp;
  return (
    <th aria-sort={isCurrent ? (order.isDescending ? 'descending' : 'ascending') : undefined}>
      <button type="button" className={styles.sort} onClick={() => change({ sort: nextOrder(order, by) })}>
        {children}
        {isCurrent && <Arrow size={13} aria-hidden />}
      </button>
    </th>
  );
}

interface RowProps {
  readonly apiKey: ApiKeyAnswer;
  readonly place: Place;
  readonly onCode: (() => void) | undefined;
  readonly onEdit: (() => void) | undefined;
  readonly onRevoke: (() => void) | undefined;
}

function KeyRow({ apiKey, place, onCode, onEdit, onRevoke }: RowProps) {
  const { name, lastFour, apiKeyType, roles, createdAt, createdBy, lastUsedAt, expiresAt } = apiKey;
  const { data: keys = [] } = useQuery(apiKeysReading);
  const ofKey = keys.find(({ id }) => id === createdBy.id)?.name;
  const creator = useEditorName({ ...createdBy, name: ofKey ?? creators[createdBy.type] ?? '' });
  return (
    <tr>
      <th scope="row">
        <RowName below={<code>…{lastFour}</code>}>{name}</RowName>
      </th>
      <td data-label="Type, roles">
        <span className={styles.two}>
          {types[apiKeyType].label}
          {roles.length > 0 && <span className={styles.meta}>{roles.map(roleWord).join(', ')}</span>}
        </span>
      </td>
      <td data-label="Scope">
        <PlaceView place={place} />
      </td>
      <td data-label="Created">
        <span className={styles.two}>
          <Time at={createdAt} />
          <span className={styles.meta}>{creator}</span>
        </span>
      </td>
      <td data-label="Last used">
        <span className={styles.two}>
          {lastUsedAt === undefined ? <Nothing words="Never" /> : <Time at={lastUsedAt} />}
          {expiresAt !== undefined && (
            <span className={styles.meta}>
              <ExpiryNote expiresAt={expiresAt} />
            </span>
          )}
        </span>
      </td>
      <td data-tools="below">
        <span className={styles.tools}>
          {onCode && (
            <Button size="small" aria-label={`Code for ${name}`} onClick={onCode}>
              Code
            </Button>
          )}
          {onEdit && (
            <Button size="small" aria-label={`Edit ${name}`} onClick={onEdit}>
              Edit
            </Button>
          )}
          {onRevoke && (
            <Button size="small" look="danger" aria-label={`Revoke ${name}`} onClick={onRevoke}>
              Revoke
            </Button>
          )}
        </span>
      </td>
    </tr>
  );
}

function CodeDialog({ apiKey, onClose }: { readonly apiKey: ApiKeyAnswer; readonly onClose: () => void }) {
  const { name, lastFour, apiKeyType } = apiKey;
  if (apiKeyType === 'admin') return null;
  return (
    <Modal
      size="wide"
      title={`Code for ${name}`}
      about={`Put the key that ends in …${lastFour} where the code says YOUR_SDK_KEY. Burgee cannot show it again.`}
      onClose={onClose}
    >
      <ModalBody>
        <SdkCode keyType={apiKeyType} />
      </ModalBody>
      <ModalFoot>
        <Button look="primary" onClick={onClose}>
          Done
        </Button>
      </ModalFoot>
    </Modal>
  );
}

/** Creators that are not users. */
const creators: Readonly<Record<string, string>> = {
  system: 'First start',
  operator: 'Command line',
  api_key: 'Another API key',
};

function PlaceView({ place: { project, environments } }: { readonly place: Place }) {
  if (project === undefined) return <span>Whole account</span>;
  return (
    <span className={styles.place}>
      {project}
      {environments.map(({ id, name, production }) => (
        <Fragment key={id}>
          <Tag>{name}</Tag>
          {production && <ProdChip />}
        </Fragment>
      ))}
    </span>
  );
}
