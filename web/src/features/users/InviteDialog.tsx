import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { inviteUser } from '#contract/users.ts';
import { groupsReading } from '../../administration/whole-lists.ts';
import { explain } from '../../kit/explain.ts';
import { FormModal } from '../../kit/FormModal.tsx';
import { type FieldRule, useForm } from '../../kit/form.ts';
import { call } from '../../server/api.ts';
import { ApiProblem } from '../../server/api-problem.ts';
import { ChipsField } from '../../ui/ChipsField.tsx';
import { TextArea } from '../../ui/TextArea.tsx';
import { addressesIn } from './addresses.ts';
import { Invited } from './Invited.tsx';
import { useRefreshUsers } from './user-changes.ts';

interface Refusal {
  readonly email: string;
  readonly why: string;
}

const addressesRule: FieldRule = {
  check: (value) => (addressesIn(value).length === 0 ? 'Enter at least one email address.' : undefined),
};

/** Invites one or more people. Addresses that fail stay in the field, with the reason. */
export function InviteDialog({ onClose }: { readonly onClose: () => void }) {
  const refresh = useRefreshUsers();
  const groups = useQuery(groupsReading);
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const [invited, setInvited] = useState<readonly string[]>([]);
  const [refusals, setRefusals] = useState<readonly Refusal[]>([]);
  const addresses = addressesIn(text);

  const { form, errors, problem, isSending } = useForm({
    rules: { emails: addressesRule },
    send: () => inviteEach(addresses, chosen),
    onDone: async (answer) => {
      // First, so that the mail status is newer than the invitations.
      await refresh();
      setInvited([...invited, ...answer.invited]);
      setRefusals(answer.refusals);
      setText(answer.refusals.map(({ email }) => email).join('\n'));
    },
  });
  if (invited.length > 0 && refusals.length === 0) return <Invited emails={invited} onClose={onClose} />;
  return (
    <FormModal
      title="Invite people"
      about="Each person gets an email with a link that works once and expires after seven days."
      form={form}
      problem={problem}
      isSending={isSending}
      submit={addresses.length > 1 ? `Invite ${addresses.length} people` : 'Send invitation'}
      onClose={onClose}
    >
      <TextArea
        name="emails"
        label="Email addresses"
        hint="One per line, or separated by commas."
        rows={3}
        value={text}
        onChange={({ target }) => {
          setText(target.value);
          setRefusals([]);
        }}
        error={errors.emails ?? refusalWords(refusals)}
        autoComplete="off"
        spellCheck={false}
        autoFocus
      />
      <ChipsField
        label="Groups"
        hint="They join these groups when they accept."
        options={(groups.data ?? []).map(({ id, name }) => ({ id, label: name }))}
        selected={chosen}
        onChange={setChosen}
        add="Add group"
      />
    </FormModal>
  );
}

const refusalWords = (refusals: readonly Refusal[]): string | undefined =>
  refusals.length === 0 ? undefined : refusals.map(({ email, why }) => `${email}: ${why}`).join(' ');

/** One by one. A failure does not undo the earlier invitations. */
async function inviteEach(emails: readonly string[], groups: readonly string[]) {
  const invited: string[] = [];
  const refusals: Refusal[] = [];
  for (const email of emails) {
    try {
      await call(inviteUser, { body: { email, groups: groups.map((id) => ({ id })) } });
      invited.push(email);
    } catch (problem) {
      if (!(problem instanceof ApiProblem)) throw problem;
      refusals.push({ email, why: reasonOf(problem) });
    }
  }
  return { invited, refusals };
}

function reasonOf(problem: ApiProblem): string {
  if (problem.status === 409) return 'is already invited or active.';
  return problem.message.startsWith('email ') ? 'is not a valid email address.' : explain(problem);
}
