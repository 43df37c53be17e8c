import { useQueryClient } from '@tanstack/react-query';
import { Plus, Trash } from 'lucide-react';
import { useState } from 'react';
import { createTrafficType, deleteTrafficType, listTrafficTypes } from '#contract/traffic-types.ts';
import type { TrafficTypeReply } from '#domain/traffic-types.ts';
import { RemoveModal } from '../../administration/RemoveModal.tsx';
import { sentence } from '../../kit/explain.ts';
import { FormModal } from '../../kit/FormModal.tsx';
import { type FieldRule, useForm } from '../../kit/form.ts';
import { Loaded } from '../../kit/Loaded.tsx';
import { call, keyOf } from '../../server/api.ts';
import { useProject } from '../../server/project.ts';
import { useMay } from '../../server/session.ts';
import { toast } from '../../state/toasts.ts';
import { Button } from '../../ui/Button.tsx';
import { Card } from '../../ui/Card.tsx';
import { Field } from '../../ui/Field.tsx';
import { useTrafficTypes } from './project-changes.ts';
import styles from './TrafficTypesCard.module.css';

export function TrafficTypesCard() {
  const may = useMay();
  const trafficTypes = useTrafficTypes();
  const [isAdding, setAdding] = useState(false);
  const [deleting, setDeleting] = useState<TrafficTypeReply>();
  return (
    <Card
      title="Traffic types"
      lead="What flags target, such as users or accounts. You cannot change the traffic type of a flag."
    >
      <Loaded query={trafficTypes}>
        {(all) => (
          <ul className={styles.list}>
            {all.map((trafficType) => (
              <li key={trafficType.id} className={styles.row}>
                <span className="mono">{trafficType.name}</span>
                {may(deleteTrafficType) && (
                  <Button
                    look="quiet"
                    size="icon"
                    aria-label={`Delete ${trafficType.name}`}
                    onClick={() => setDeleting(trafficType)}
                  >
                    <Trash size={15} aria-hidden />
                  </Button>
                )}
              </li>
            ))}
          </ul>
        )}
      </Loaded>
      {may(createTrafficType) && (
        <div>
          <Button onClick={() => setAdding(true)}>
            <Plus size={14} aria-hidden /> Add traffic type
          </Button>
        </div>
      )}
      {isAdding && <NewTrafficTypeDialog onClose={() => setAdding(false)} />}
      {deleting && <DeleteTrafficTypeDialog trafficType={deleting} onClose={() => setDeleting(undefined)} />}
    </Card>
  );
}

function useRefresh(): () => Promise<unknown> {
  const client = useQueryClient();
  return () => client.invalidateQueries({ queryKey: keyOf(listTrafficTypes) });
}

const nameRule: FieldRule = {
  check: (value) => (value.trim() === '' ? 'Enter a name.' : undefined),
  claim: (complaint, { status }) => {
    if (status === 409) return 'This project already has it.';
    return complaint.startsWith('name ') ? sentence(complaint.replace(/^name /, 'The name ')) : undefined;
  },
};

function NewTrafficTypeDialog({ onClose }: { readonly onClose: () => void }) {
  const project = useProject();
  const refresh = useRefresh();
  const { form, errors, problem, isSending } = useForm({
    rules: { name: nameRule },
    send: ({ name }) => call(createTrafficType, { params: { project: project.id }, body: { name: name.trim() } }),
    onDone: ({ name }) => {
      onClose();
      toast(`Created ${name}.`);
      return refresh();
    },
  });
  return (
    <FormModal
      title="New traffic type"
      form={form}
      problem={problem}
      isSending={isSending}
      submit="Create traffic type"
      onClose={onClose}
    >
      <Field
        name="name"
        label="Name"
        face="name"
        hint="A letter, then letters, digits, - or _. You cannot change it later."
        maxLength={100}
        error={errors.name}
        autoFocus
      />
    </FormModal>
  );
}

interface DeleteProps {
  readonly trafficType: TrafficTypeReply;
  readonly onClose: () => void;
}

/** Only the server knows whether a flag uses it. */
function DeleteTrafficTypeDialog({ trafficType: { id, name }, onClose }: DeleteProps) {
  const refresh = useRefresh();
  return (
    <RemoveModal
      title={`Delete the traffic type ${name}?`}
      about="You can delete it only if no flag uses it."
      submit="Delete traffic type"
      send={() => call(deleteTrafficType, { params: { trafficTypeId: id } })}
      done={`Deleted ${name}.`}
      refresh={refresh}
      onClose={onClose}
    />
  );
}
