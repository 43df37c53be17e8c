import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { listChanges } from '#contract/changes.ts';
import { getFlag, listFlags, patchFlag } from '#contract/flags.ts';
import { useOwnerNames } from '../../administration/owner-names.ts';
import { Form } from '../../kit/Form.tsx';
import { useForm } from '../../kit/form.ts';
import { NoteFields, noteOf, noteRules } from '../../kit/NoteFields.tsx';
import { descriptionOf } from '../../kit/rollout-status-words.ts';
import { call, keyOf } from '../../server/api.ts';
import { useFlag } from '../../server/flag.ts';
import { useProject } from '../../server/project.ts';
import { type Edits, editsAfter } from '../../state/edits.ts';
import { toast } from '../../state/toasts.ts';
import { Button } from '../../ui/Button.tsx';
import { Card } from '../../ui/Card.tsx';
import { ChipsField } from '../../ui/ChipsField.tsx';
import { Notice } from '../../ui/Notice.tsx';
import { Select } from '../../ui/Select.tsx';
import { TextArea } from '../../ui/TextArea.tsx';
import { type Details, detailsOf, overwritten, patchOf } from './details.ts';
import { useRolloutStatuses } from './flags-query.ts';
import { OwnersField } from './OwnersField.tsx';

/** Description, tags, rollout status and owners. Unedited fields follow changes by others. */
export function DetailsForm({ refusal }: { readonly refusal: string | undefined }) {
  const project = useProject();
  const flag = useFlag();
  const client = useQueryClient();
  const statuses = useRolloutStatuses();
  const isRequired = project.requiresTitleAndComments;
  const [edits, setEdits] = useState<Edits<Details>>({});
  const saved = detailsOf(flag);
  const shown: Details = {
    ...saved,
    ...Object.fromEntries(Object.entries(edits).map(([name, edit]) => [name, edit.to])),
  };
  const operations = patchOf(saved, shown);
  const hasChanges = operations.length > 0;
  const edit = <Name extends keyof Details>(name: Name, to: Details[Name]) =>
    setEdits((before) => ({ ...before, [name]: { from: before[name]?.from ?? saved[name], to } }));

  const refresh = () =>
    Promise.all([
      client.invalidateQueries({ queryKey: keyOf(getFlag) }),
      client.invalidateQueries({ queryKey: keyOf(listFlags) }),
      client.invalidateQueries({ queryKey: keyOf(listChanges) }),
    ]);
  const { form, errors, problem, isSending } = useForm({
    rules: noteRules(isRequired),
    send: async (note) => {
      await call(patchFlag, {
        params: { project: project.id, flag: flag.name },
        query: noteOf(note),
        body: operations,
        ifMatch: flag.etag,
      });
      return edits;
    },
    onDone: async (sent) => {
      await refresh();
      setEdits((now) => editsAfter(sent, now));
      toast('Saved.');
    },
    onProblem: ({ status }) => {
      if (status === 412) void refresh();
      return false;
    },
  });
  const status = statuses.data?.find(({ id }) => id === shown.status);
  const ownerName = useOwnerNames();
  const nameOf = (id: string) => statuses.data?.find((one) => one.id === id)?.name ?? ownerName(id);
  const isReadOnly = refusal !== undefined;
  return (
    <Card title="General">
      <Form
        {...form}
        problem={problem?.status === 412 ? undefined : problem}
        actions={
          <>
            <Button
              type="submit"
              look="primary"
              isBusy={isSending}
              refusal={refusal}
              disabled={!isReadOnly && !hasChanges}
            >
              Save
            </Button>
            {hasChanges && (
              <Button look="quiet" onClick={() => setEdits({})}>
                Discard
              </Button>
            )}
          </>
        }
      >
        {problem?.status === 412 && hasChanges && (
          <Notice kind="danger">Someone else changed this flag. Your changes are kept; save again.</Notice>
        )}
        {overwritten(saved, edits, nameOf).map(({ name, theirs }) => (
          <Notice key={name} kind="plain">
            <p>
              Someone else changed the {name} to: {theirs}. Saving keeps yours.
            </p>
            <Button size="small" onClick={() => setEdits(({ [name]: _, ...rest }) => rest)}>
              Take theirs
            </Button>
          </Notice>
        ))}
        <TextArea
          name="description"
          label="Description"
          maxLength={2000}
          value={shown.description}
          readOnly={isReadOnly}
          onChange={({ target }) => edit('description', target.value)}
        />
        <ChipsField
          label="Tags"
          options={[...new Set([...saved.tags, ...shown.tags])].map((tag) => ({ id: tag, label: tag }))}
          selected={shown.tags}
          onChange={(tags) => edit('tags', tags)}
          add="Add tag"
          create={{ label: (text) => `Create tag ${text}`, make: (text) => edit('tags', [...shown.tags, text]) }}
          isReadOnly={isReadOnly}
        />
        <Select
          name="status"
          label="Rollout status"
          hint={status && descriptionOf(status)}
          value={shown.status}
          disabled={isReadOnly}
          onChange={({ target }) => edit('status', target.value)}
        >
          {(statuses.data ?? [flag.rolloutStatus]).map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </Select>
        <OwnersField owners={shown.owners} onChange={(owners) => edit('owners', owners)} isReadOnly={isReadOnly} />
        {isRequired && hasChanges && <NoteFields isRequired errors={errors} />}
      </Form>
    </Card>
  );
}
