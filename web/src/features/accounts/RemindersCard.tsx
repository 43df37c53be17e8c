import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { changeReminders, getReminders } from '#contract/accounts.ts';
import { Failure } from '../../kit/Failure.tsx';
import { call, reading } from '../../server/api.ts';
import type { ApiProblem } from '../../server/api-problem.ts';
import { Card } from '../../ui/Card.tsx';
import { Checkbox } from '../../ui/Checkbox.tsx';
import { Loading } from '../../ui/Loading.tsx';

/** Which mails a person wants. */
export function RemindersCard() {
  const client = useQueryClient();
  const wanted = useQuery(reading(getReminders));
  const change = useMutation<unknown, ApiProblem, boolean>({
    mutationFn: (cleanup) => call(changeReminders, { body: { cleanup } }),
    onSettled: () => client.invalidateQueries(reading(getReminders)),
  });
  return (
    <Card title="Mails" lead="Sent if this server has a mail server.">
      {change.error && <Failure problem={change.error} />}
      {wanted.isPending && <Loading lines={1} />}
      {wanted.isError && <Failure problem={wanted.error} onRetry={wanted.refetch} />}
      {wanted.data && (
        <Checkbox
          label="Flags of yours that can go, once a week"
          hint="On Mondays, if flags that you or one of your groups own are safe to remove, finished but still in code, or killed for long."
          checked={change.isPending ? change.variables : wanted.data.cleanup}
          onChange={({ target }) => change.mutate(target.checked)}
        />
      )}
    </Card>
  );
}
