import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { changeName } from '#contract/accounts.ts';
import { getUser, listUsers } from '#contract/users.ts';
import type { SessionView } from '#domain/accounts.ts';
import { Form } from '../../kit/Form.tsx';
import { useForm } from '../../kit/form.ts';
import { call, keyOf } from '../../server/api.ts';
import { updateSession } from '../../server/session.ts';
import { toast } from '../../state/toasts.ts';
import { Button } from '../../ui/Button.tsx';
import { Card } from '../../ui/Card.tsx';
import { Field } from '../../ui/Field.tsx';
import { nameRule } from './fields.ts';
import styles from './TwoFactor.module.css';

export function NameCard({ user }: { readonly user: SessionView['user'] }) {
  const client = useQueryClient();
  const [typed, setTyped] = useState<string>();
  const name = typed ?? user.name;
  const { form, errors, problem, isSending } = useForm({
    rules: { name: nameRule },
    send: (values) => call(changeName, { body: { name: values.name.trim() } }),
    onDone: async () => {
      await Promise.all([
        updateSession(client),
        ...[getUser, listUsers].map((one) => client.invalidateQueries({ queryKey: keyOf(one) })),
      ]);
      setTyped(undefined);
      toast('Saved.');
    },
  });
  return (
    <Card title="Name" lead="Others see it beside what you change.">
      <div className={styles.narrow}>
        <Form
          {...form}
          problem={problem}
          actions={
            <Button type="submit" look="primary" isBusy={isSending} disabled={name.trim() === user.name}>
              Save
            </Button>
          }
        >
          <Field
            name="name"
            label="Your name"
            autoComplete="name"
            maxLength={255}
            value={name}
            onChange={({ target }) => setTyped(target.value)}
            error={errors.name}
          />
        </Form>
      </div>
    </Card>
  );
}
