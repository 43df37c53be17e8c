import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { listChanges } from '#contract/changes.ts';
import { listRestrictions, replaceRestriction } from '#contract/restrictions.ts';
import { administrators } from '#domain/groups.ts';
import { equalJson } from '#domain/json.ts';
import type { Restriction } from '#domain/restrictions.ts';
import { apiKeysReading, type GroupAnswer, groupsReading } from '../../administration/whole-lists.ts';
import { Form } from '../../kit/Form.tsx';
import { useForm } from '../../kit/form.ts';
import { Loaded } from '../../kit/Loaded.tsx';
import { call, keyOf, reading } from '../../server/api.ts';
import { useProject } from '../../server/project.ts';
import { type Edits, editsAfter } from '../../state/edits.ts';
import { toast } from '../../state/toasts.ts';
import { Button } from '../../ui/Button.tsx';
import { Card } from '../../ui/Card.tsx';
import { Choices, Radio } from '../../ui/Checkbox.tsx';
import { type Access, accessOf, accessWith } from './access.ts';
import { ViewersField } from './ViewersField.tsx';

const restrictionReading = (projectId: string) =>
  reading(listRestrictions, { query: { resource_type: 'workspace', resource_id: projectId, limit: 1 } });

/** Project access. */
export function AccessCard() {
  const project = useProject();
  const restrictions = useQuery(restrictionReading(project.id));
  const groups = useQuery(groupsReading);
  return (
    <Card
      title="Access"
      lead="Who can see the project, its flags and its activity. Anyone who can see it can change its flags."
    >
      <Loaded query={restrictions}>
        {({ objects: [restriction] }) =>
          restriction && (
            <Loaded query={groups}>{(all) => <AccessForm restriction={restriction} groups={all} />}</Loaded>
          )
        }
      </Loaded>
    </Card>
  );
}

interface FormProps {
  readonly restriction: Restriction;
  readonly groups: readonly GroupAnswer[];
}

function AccessForm({ restriction, groups }: FormProps) {
  const client = useQueryClient();
  const project = useProject();
  const administratorsId = groups.find(({ name }) => name === administrators.name)?.id ?? '';
  const saved = accessOf(restriction, administratorsId);
  const [edits, setEdits] = useState<Edits<Access>>({});
  const shown = accessWith(saved, edits);
  const { isRestricted, viewers } = shown;
  const isChanged = !equalJson(shown, saved);
  const edit = <Name extends keyof Access>(name: Name, to: Access[Name]) =>
    setEdits((before) => ({ ...before, [name]: { from: saved[name], to } }));

  const { form, problem, isSending } = useForm({
    rules: {},
    send: async () => {
      const now =
        (await client.fetchQuery({ ...restrictionReading(project.id), staleTime: 0 })).objects[0] ?? restriction;
      const wanted = accessWith(accessOf(now, administratorsId), edits);
      const keys = await client.fetchQuery(apiKeysReading);
      const typeOf = (id: string) => {
        const known = now.resourcePermissions.view.find((viewer) => viewer.id === id)?.type;
        if (known) return known;
        if (keys.some((key) => key.id === id)) return 'api_key';
        return groups.some((group) => group.id === id) ? 'group' : 'user';
      };
      await call(replaceRestriction, {
        body: {
          resource: { id: project.id, type: 'workspace' },
          operations: { view: wanted.isRestricted },
          resourcePermissions: { view: [administratorsId, ...wanted.viewers].map((id) => ({ id, type: typeOf(id) })) },
        },
      });
      return { wanted, edits };
    },
    onDone: async (sent) => {
      await Promise.all([
        client.invalidateQueries({ queryKey: keyOf(listRestrictions) }),
        client.invalidateQueries({ queryKey: keyOf(listChanges) }),
      ]);
      setEdits((now) => editsAfter(sent.edits, now));
      toast(
        sent.wanted.isRestricted
          ? `${project.name} is open only to those listed.`
          : `${project.name} is open to everyone.`,
      );
    },
  });
  return (
    <Form
      {...form}
      problem={problem}
      actions={
        <>
          <Button type="submit" look="primary" isBusy={isSending} disabled={!isChanged}>
            Save access
          </Button>
          {isChanged && (
            <Button look="quiet" onClick={() => setEdits({})}>
              Discard
            </Button>
          )}
        </>
      }
    >
      <Choices label="Open to">
        <Radio
          name="access"
          label="Everyone with an account"
          checked={!isRestricted}
          onChange={() => edit('isRestricted', false)}
        />
        <Radio
          name="access"
          label="Only certain groups, people and API keys"
          hint="Nobody else can see the project. API keys limited to this project keep their access."
          checked={isRestricted}
          onChange={() => edit('isRestricted', true)}
        />
      </Choices>
      {isRestricted && <ViewersField viewers={viewers} onChange={(ids) => edit('viewers', ids)} />}
    </Form>
  );
}
