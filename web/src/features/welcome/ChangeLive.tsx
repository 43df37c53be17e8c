import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Check, LoaderCircle } from 'lucide-react';
import { useState } from 'react';
import { getDefinition, patchDefinition } from '#contract/definitions.ts';
import type { Project } from '#domain/projects.ts';
import type { SdkAnswer } from '#domain/sdks.ts';
import { Swatch, TreatmentName } from '../../kit/Bar.tsx';
import { explain } from '../../kit/explain.ts';
import { ProdChip } from '../../kit/StatusChip.tsx';
import { firstAnswerAfter, isPolling, timeOf, useSdks } from '../../sdks/connected.ts';
import { call, keyOf } from '../../server/api.ts';
import type { ApiProblem } from '../../server/api-problem.ts';
import type { Environment } from '../../server/project.ts';
import { Notice } from '../../ui/Notice.tsx';
import { TextLink } from '../../ui/TextLink.tsx';
import styles from './ChangeLive.module.css';
import type { Connection } from './ConnectStep.tsx';
import { type DefinitionAnswer, treatmentOfOthers } from './progress.ts';
import { Step } from './Step.tsx';
import { age, preciseTime, span } from './times.ts';

interface Props {
  readonly connection: Connection;
  readonly definition: DefinitionAnswer;
  readonly project: Project;
  readonly environment: Environment;
}

/** What was clicked, and when, by the clock of the server. */
interface Click {
  readonly treatment: string;
  /** What the application answered last. */
  readonly before: string | undefined;
  readonly at: number;
}

/** Changes what everyone gets, and shows that the application follows. */
export function ChangeLive({ connection, definition, project, environment }: Props) {
  const [click, setClick] = useState<Click>();
  const { sdk } = connection;
  const found =
    click && isNew(click) && firstAnswerAfter(connection.answers, { treatment: click.treatment, since: click.at });
  // The answer leaves the list later.
  const [followed, setFollowed] = useState<{ readonly click: Click; readonly answer: SdkAnswer }>();
  if (found && followed?.click !== click) setFollowed({ click, answer: found });
  const answer = followed?.click === click ? followed?.answer : undefined;
  return (
    <Step
      number={4}
      title="Change it live"
      about={
        sdk
          ? `Choose what everyone gets in ${environment.name}. Your application follows without a restart.`
          : 'Once connected, change the flag here and watch your application answer.'
      }
      done={followed && `Done: your application followed ${span(delayOf(followed))} after your click`}
      isCurrent={sdk !== undefined && !followed}
    >
      {sdk && (
        <div className={styles.live}>
          <Choice {...{ connection, definition, project, environment }} onClick={setClick} />
          <Outcome {...{ connection, definition, click, answer }} />
          <Log answers={connection.answers.slice(0, 5)} {...{ connection, definition, click, answer }} />
          {click && isNew(click) && !answer && <Quickly {...{ project, environment }} />}
        </div>
      )}
    </Step>
  );
}

/** Otherwise nothing shows that the application followed. */
const isNew = ({ treatment, before }: Click): boolean => treatment !== before;

const delayOf = ({ click, answer }: { readonly click: Click; readonly answer: SdkAnswer }): number =>
  timeOf(answer) - click.at;

/** Asks more often while an answer is expected. */
function Quickly({ project, environment }: Pick<Props, 'project' | 'environment'>) {
  useSdks({ project: project.id, environment: environment.id }, 250);
  return null;
}

interface ChoiceProps extends Props {
  readonly onClick: (click: Click | undefined) => void;
}

function Choice({ connection, definition, project, environment, onClick }: ChoiceProps) {
  const client = useQueryClient();
  const params = { project: project.id, flag: definition.name, environment: environment.id };
  const order = definition.treatments.map(({ name }) => name);
  const current = treatmentOfOthers(definition);
  const change = useMutation<unknown, ApiProblem, string>({
    mutationFn: async (treatment) => {
      onClick({
        treatment,
        before: connection.answers[0]?.treatment,
        at: Date.now() + (connection.live?.clockOffset ?? 0),
      });
      const words = `Everyone else gets ${treatment}`;
      const changed = await call(patchDefinition, {
        params,
        // Some projects require a title and a comment.
        query: { title: words, comment: 'Changed in Getting started' },
        body: [{ op: 'replace', path: '/defaultRule', value: [{ treatment, size: 100 }] }],
      });
      client.setQueryData(keyOf(getDefinition, { params }), changed);
    },
    onError: () => onClick(undefined),
  });
  const names = { project: project.name, flag: definition.name, environment: environment.name };
  return (
    <>
      <div className={styles.control}>
        <div className={styles.what}>
          <TextLink to="/p/$project/flags/$flag/$environment" params={names}>
            <span className="mono">{definition.name}</span>
          </TextLink>
          <span className={styles.who}>
            Everyone else in {environment.name}
            {environment.production && <ProdChip />}
          </span>
        </div>
        <fieldset className={styles.choose}>
          <legend className="sr">Everyone else gets</legend>
          {order.map((treatment) => (
            <button
              key={treatment}
              type="button"
              aria-pressed={treatment === current}
              aria-disabled={change.isPending || undefined}
              onClick={() => treatment !== current && !change.isPending && change.mutate(treatment)}
            >
              <Swatch treatment={treatment} order={order} />
              {treatment}
            </button>
          ))}
        </fieldset>
      </div>
      {change.error && <Notice kind="danger">{explain(change.error)}</Notice>}
      {definition.killed && (
        <Notice kind="plain">
          The flag is killed here: everyone gets {definition.defaultTreatment} until it is restored.
        </Notice>
      )}
    </>
  );
}

interface OutcomeProps {
  readonly connection: Connection;
  readonly definition: DefinitionAnswer;
  readonly click: Click | undefined;
  /** The first one after the click. */
  readonly answer: SdkAnswer | undefined;
}

function Outcome({ connection, definition, click, answer }: OutcomeProps) {
  const { answers, live, sdk } = connection;
  const order = definition.treatments.map(({ name }) => name);
  const last = answers[0];
  if (!last || !live || !sdk) {
    return (
      <p className={styles.outcome} role="status">
        <span className={styles.sentence}>
          <strong>No answer for {definition.name} yet</strong>
          <span>With the snippet above, answers arrive about a second after they are given.</span>
        </span>
      </p>
    );
  }
  if (click && isNew(click) && !answer) {
    return (
      <p className={styles.outcome} role="status">
        <LoaderCircle size={22} strokeWidth={1.75} aria-hidden />
        <span className={styles.sentence}>
          <strong>
            Waiting until your application answers <code>{click.treatment}</code>
          </strong>
          <span>
            {isPolling(sdk, live.serverTime)
              ? 'It polls, so a change arrives within 60 s.'
              : 'Rules and traffic allocation can give a key something else.'}
          </span>
        </span>
      </p>
    );
  }
  const isControl = last.treatment === 'control';
  return (
    <p className={`${styles.outcome} ${isControl ? '' : styles.ok}`} role="status">
      <span className={styles.big} aria-hidden>
        {isControl ? <Swatch treatment="control" order={order} /> : <Check size={22} strokeWidth={2.25} />}
      </span>
      <span className={styles.sentence}>
        <strong>
          Your application answered <code>{last.treatment}</code>, {age(live.serverTime - timeOf(last))}
        </strong>
        <span>
          {isControl ? (
            `The SDK could not evaluate the flag${last.label ? `: ${last.label}` : ''}.`
          ) : click && !isNew(click) ? (
            'It answered this before your change, too.'
          ) : click ? (
            click.before !== undefined && (
              <>
                It answered <code>{click.before}</code> until you changed the flag at {preciseTime(click.at)}.
              </>
            )
          ) : (
            <>
              For <code>{last.key}</code>. Now choose another treatment.
            </>
          )}
        </span>
      </span>
      {click && answer && (
        <span className={styles.time}>
          <strong>{span(delayOf({ click, answer }))}</strong>
          <span>from your click to the new answer</span>
        </span>
      )}
    </p>
  );
}

function Log({ connection, definition, answers, click, answer }: OutcomeProps & Pick<Connection, 'answers'>) {
  const { live } = connection;
  const order = definition.treatments.map(({ name }) => name);
  if (!live || answers.length === 0) return null;
  const noteOf = (one: SdkAnswer, index: number): string => {
    if (answer && one.at === answer.at && one.key === answer.key) return 'first answer after the change';
    return index === 0 ? age(live.serverTime - timeOf(one)) : '';
  };
  return (
    <table className={styles.log}>
      <caption className="sr">Latest answers</caption>
      <thead>
        <tr>
          <th>Time</th>
          <th>Key</th>
          <th>Answer</th>
          <th>
            <span className="sr">Note</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {answers.map((one, index) => (
          <tr
            // Answers have no id, and one application can give several at once.
            key={`${one.at} ${one.key} ${answers.slice(index).filter((other) => other.at === one.at).length}`}
            className={click && timeOf(one) >= click.at ? styles.fresh : undefined}
          >
            <td>{preciseTime(timeOf(one))}</td>
            <td className={styles.key}>{one.key}</td>
            <td>
              <TreatmentName treatment={one.treatment} order={order} />
            </td>
            <td className={styles.note}>{noteOf(one, index)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
