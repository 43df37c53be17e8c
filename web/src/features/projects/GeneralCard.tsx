import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { patchProject } from '#contract/projects.ts';
import type { Operation } from '#domain/json-patch.ts';
import { CopyableId } from '../../administration/CopyableId.tsx';
import { Fact, Facts } from '../../administration/Facts.tsx';
import { Form } from '../../kit/Form.tsx';
import { useForm } from '../../kit/form.ts';
import { call } from '../../server/api.ts';
import { useProject } from '../../server/project.ts';
import { useMay } from '../../server/session.ts';
import { type Edits, editsAfter } from '../../state/edits.ts';
import { toast } from '../../state/toasts.ts';
import { Button } from '../../ui/Button.tsx';
import { Card } from '../../ui/Card.tsx';
import { Checkbox } from '../../ui/Checkbox.tsx';
import { Field } from '../../ui/Field.tsx';
import { noteHint, projectNameRule, useRefreshProjects } from './project-changes.ts';

interface General {
  readonly name: string;
  readonly isRequired: boolean;
}

/** Unedited fields follow changes by others. */
export function GeneralCard() {
  const project = useProject();
  const may = useMay();
  const navigate = useNavigate();
  const refresh = useRefreshProjects();
  const [edited, setEdited] = useState<Edits<General>>({});
  const name = edited.name?.to ?? project.name;
  const isRequired = edited.isRequired?.to ?? project.requiresTitleAndComments;
  const operations: Operation[] = [];
  if (name.trim() !== project.name) operations.push({ op: 'replace', path: '/name', value: name.trim() });
  if (isRequired !== project.requiresTitleAndComments) {
    operations.push({ op: 'replace', path: '/requiresTitleAndComments', value: isRequired });
  }
  const { form, errors, problem, isSending } = useForm({
    rules: { name: projectNameRule },
    send: async () => ({
      saved: await call(patchProject, { params: { project: project.id }, body: operations }),
      sent: edited,
    }),
    onDone: async ({ saved, sent }) => {
      // The name is part of this page's address.
      await navigate({ to: '.', params: (all) => ({ ...all, project: saved.name }), replace: true });
      await refresh();
      setEdited((now) => editsAfter(sent, now));
      toast('Saved.');
    },
  });
  const mayEdit = may(patchProject);
  return (
    <Card title="General">
      <Form
        {...form}
        problem={problem}
        actions={
          mayEdit && (
            <>
              <Button type="submit" look="primary" isBusy={isSending} disabled={operations.length === 0}>
                Save
              </Button>
              {operations.length > 0 && (
                <Button look="quiet" onClick={() => setEdited({})}>
                  Discard
                </Button>
              )}
            </>
          )
        }
      >
        <Field
          name="name"
          label="Name"
          maxLength={255}
          value={name}
          readOnly={!mayEdit}
          onChange={({ target }) => setEdited({ ...edited, name: { from: name, to: target.value } })}
          hint={
            mayEdit
              ? 'Links keep working until another project takes the old name. Update scripts that use it.'
              : undefined
          }
          error={errors.name}
          autoComplete="off"
        />
        <Checkbox
          label="Require a title and a comment for every change"
          hint={noteHint}
          checked={isRequired}
          disabled={!mayEdit}
          onChange={({ target }) => setEdited({ ...edited, isRequired: { from: isRequired, to: target.checked } })}
        />
        <Facts>
          <Fact name="Id">
            <CopyableId id={project.id} />
          </Fact>
        </Facts>
      </Form>
    </Card>
  );
}
