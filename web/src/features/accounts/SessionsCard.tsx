import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { endSession, listSessions } from '#contract/accounts.ts';
import type { Reply } from '#contract/endpoint.ts';
import { Failure } from '../../kit/Failure.tsx';
import { call, reading } from '../../server/api.ts';
import type { ApiProblem } from '../../server/api-problem.ts';
import { Button } from '../../ui/Button.tsx';
import { Card } from '../../ui/Card.tsx';
import { Chip } from '../../ui/Chip.tsx';
import { Loading } from '../../ui/Loading.tsx';
import { Time } from '../../ui/Time.tsx';
import styles from './SessionsCard.module.css';

type Session = Reply<typeof listSessions>[number];

export function SessionsCard() {
  const client = useQueryClient();
  const sessions = useQuery(reading(listSessions));
  const ending = useMutation<unknown, ApiProblem, string>({
    mutationFn: (session) => call(endSession, { params: { session } }),
    onSettled: () => client.invalidateQueries(reading(listSessions)),
  });
  return (
    <Card title="Sessions" lead="Where you are signed in. End any you do not recognise.">
      {ending.error && <Failure problem={ending.error} />}
      {sessions.isPending && <Loading lines={2} />}
      {sessions.isError && <Failure problem={sessions.error} onRetry={sessions.refetch} />}
      {sessions.data && (
        <ul className={styles.list}>
          {sessions.data.map((session) => (
            <SessionRow
              key={session.id}
              session={session}
              isEnding={ending.isPending && ending.variables === session.id}
              onEnd={() => ending.mutate(session.id)}
            />
          ))}
        </ul>
      )}
    </Card>
  );
}

interface RowProps {
  readonly session: Session;
  readonly isEnding: boolean;
  readonly onEnd: () => void;
}

function SessionRow({ session, isEnding, onEnd }: RowProps) {
  const agent = describeAgent(session.agent);
  return (
    <li className={styles.row}>
      <div className={styles.what}>
        <span title={session.agent}>{agent}</span>
        <span className={styles.meta}>
          <code>{session.address}</code> · signed in <Time at={session.createdAt} /> · last seen{' '}
          <Time at={session.lastSeenAt} />
        </span>
      </div>
      {session.current ? (
        <Chip kind="ok">This browser</Chip>
      ) : (
        <Button
          size="small"
          isBusy={isEnding}
          aria-label={`End the ${agent} session from ${session.address}`}
          onClick={onEnd}
        >
          End
        </Button>
      )}
    </li>
  );
}

/** The first match wins: many browsers also claim to be Chrome or Safari. */
const browsers: readonly [RegExp, string][] = [
  [/\bEdg(e|A|iOS)?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\b(Firefox|FxiOS)\//, 'Firefox'],
  [/\b(Chrome|CriOS|HeadlessChrome)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
  [/^curl\//, 'curl'],
];
const systems: readonly [RegExp, string][] = [
  [/iPhone|iPad/, 'iOS'],
  [/Android/, 'Android'],
  [/Windows/, 'Windows'],
  [/Mac OS X/, 'macOS'],
  [/CrOS/, 'ChromeOS'],
  [/Linux/, 'Linux'],
];

const nameIn = (names: readonly [RegExp, string][], agent: string) =>
  names.find(([pattern]) => pattern.test(agent))?.[1];

/** Names the browser and system in a User-Agent header. */
function describeAgent(agent: string): string {
  const browser = nameIn(browsers, agent) ?? 'Unknown browser';
  const system = nameIn(systems, agent);
  return system === undefined ? browser : `${browser} on ${system}`;
}
