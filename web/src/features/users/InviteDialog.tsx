import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { inviteUser } from '#contract/users.ts';
import { emailKey, type UserStatus } from '#domain/users.ts';
import { everyoneReading, groupsReading } from '../../administration/whole-lists.ts';
import { explain } from '../../kit/explain.ts';
import { FormModal } from '../../kit/FormModal.tsx';
import { type FieldRule, useForm } from '../../kit/form.ts';
import { call } from '../../server/api.ts';
import { ApiProblem } from '../../server/api-problem.ts';
import { client } from '../../server/query-client.ts';
import { useMe } from '../../server/session.ts';
import { ChipsField } from '../../ui/ChipsField.tsx';
import { TextArea } from '../../ui/TextArea.tsx';
import { addressesIn } from './addresses.ts';
import { type InvitationResult, Invited } from './Invited.tsx';
import { useRefreshUsers } from './user-changes.ts';

const addressesRule: FieldRule = {
  check: (value) => (addressesIn(value).length === 0 ? 'Enter at least one email address.' : undefined),
};

/** Invites one or more people, then says line by line what became of each. */
export function InviteDialog({ onClose }: { readonly onClose: () => void }) {
  const refresh = useRefreshUsers();
  const groups = useQuery(groupsReading);
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const [results, setResults] = useState<readonly InvitationResult[]>();
  const addresses = addressesIn(text);
  const { sendsMail } = useMe();

  const { form, errors, problem, isSending } = useForm({
    rules: { emails: addressesRule },
    send: () => inviteEach(addresses, chosen),
    onDone: async (answer) => {
      // First, so that the mail status is newer than the invitations.
      await refresh();
      setResults(answer);
    },
  });
  const correct = () => {
    setText((results ?? []).flatMap(({ email, refusal }) => (refusal ? [email] : [])).join('\n'));
    setResults(undefined);
  };
  if (results) return <Invited results={results} onClose={onClose} onCorrect={correct} />;
  return (
    <FormModal
      title="Invite people"
      about={
        sendsMail
          ? 'Each person gets an email with a link that works once and expires after seven days.'
          : 'This server sends no mail: you give each person a link. It works once and expires after seven days.'
      }
      form={form}
      problem={problem}
      isSending={isSending}
      submit={
        addresses.length > 1 ? `Invite ${addresses.length} people` : sendsMail ? 'Send invitation' : 'Create invitation'
      }
      onClose={onClose}
    >
      <TextArea
        name="emails"
        label="Email addresses"
        hint="One per line, or separated by commas."
        rows={3}
        value={text}
        onChange={({ target }) => setText(target.value)}
        error={errors.emails}
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

/** One by one. A failure does not undo the earlier invitations. */
async function inviteEach(emails: readonly string[], groups: readonly string[]): Promise<InvitationResult[]> {
  const results: InvitationResult[] = [];
  for (const email of emails) {
    try {
      await call(inviteUser, { body: { email, groups: groups.map((id) => ({ id })) } });
      results.push({ email });
    } catch (problem) {
      if (!(problem instanceof ApiProblem)) throw problem;
      results.push({ email, refusal: await refusalOf(problem, email) });
    }
  }
  return results;
}

async function refusalOf(problem: ApiProblem, email: string): Promise<NonNullable<InvitationResult['refusal']>> {
  if (problem.status === 409) return takenWords[(await statusOf(email)) ?? 'unknown'];
  return problem.message.startsWith('email ')
    ? { state: 'Not invited', words: 'Not an email address' }
    : { state: 'Not invited', words: explain(problem) };
}

const takenWords: Readonly<Record<UserStatus | 'unknown', NonNullable<InvitationResult['refusal']>>> = {
  ACTIVE: { state: 'Member', words: 'Has an account already' },
  PENDING: { state: 'Pending', words: 'Is invited already; send the invitation again from the list' },
  DEACTIVATED: { state: 'Deactivated', words: 'Has a deactivated account; reactivate it from the list' },
  unknown: { state: 'Not invited', words: 'Has an account or an invitation already' },
};

/** Of a person among those that the page knows. */
async function statusOf(email: string): Promise<UserStatus | undefined> {
  const { people } = await client.fetchQuery(everyoneReading);
  return people.find((one) => emailKey(one.email) === emailKey(email))?.status;
}
