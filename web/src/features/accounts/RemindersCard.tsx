import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { changeReminders, getReminders } from '#contract/accounts.ts';
import type { Reminders } from '#domain/reminders.ts';
import { Failure } from '../../kit/Failure.tsx';
import { call, reading } from '../../server/api.ts';
import type { ApiProblem } from '../../server/api-problem.ts';
import { Card } from '../../ui/Card.tsx';
import { Checkbox } from '../../ui/Checkbox.tsx';
import { Loading } from '../../ui/Loading.tsx';
import { Select } from '../../ui/Select.tsx';

/** Which mails a person wants. */
export function RemindersCard() {
  const client = useQueryClient();
  const wanted = useQuery(reading(getReminders));
  const change = useMutation<unknown, ApiProblem, Reminders>({
    mutationFn: (body) => call(changeReminders, { body }),
    onSettled: () => client.invalidateQueries(reading(getReminders)),
  });
  const shown = change.isPending ? change.variables : wanted.data;
  return (
    <Card title="Mails" lead="Sent if this server has a mail server.">
      {change.error && <Failure problem={change.error} />}
      {wanted.isPending && <Loading lines={2} />}
      {wanted.isError && <Failure problem={wanted.error} onRetry={wanted.refetch} />}
      {shown && (
        <>
          <Select
            label="Changes to flags that you watch"
            name="watched"
            hint="Changes by others. What happens within a few minutes is in one mail."
            value={shown.watched}
            onChange={({ target }) => change.mutate({ ...shown, watched: target.value as Reminders['watched'] })}
          >
            <option value="soon">Within minutes</option>
            <option value="daily">Once a day, at 7:00 UTC</option>
            <option value="never">Never</option>
          </Select>
          <Checkbox
            label="Your flags that can be removed, once a week"
            hint="On Mondays, if flags that you or one of your groups own are safe to remove, finished but still in code, or killed for a long time."
            checked={shown.cleanup}
            onChange={({ target }) => change.mutate({ ...shown, cleanup: target.checked })}
          />
        </>
      )}
    </Card>
  );
}
