import type { UseQueryResult } from '@tanstack/react-query';
import { TriangleAlert } from 'lucide-react';
import { type ReactNode, useEffect, useState } from 'react';
import { listChanges } from '#contract/changes.ts';
import type { Change } from '#domain/changes.ts';
import type { ChangesetPlan } from '#domain/changeset-plans.ts';
import { type Definition, orderOf, recordedTargeting } from '#domain/definitions/definition.ts';
import { useChanges } from '../../activity/changes-query.ts';
import { FieldTable } from '../../activity/FieldTable.tsx';
import { NameLink } from '../../administration/NameLink.tsx';
import {
  type ChangesetAnswer,
  type Operation,
  objectOf,
  type PlannedOperation,
} from '../../changesets/changesets-query.ts';
import { hasBegun, timeWords, zoneHere } from '../../changesets/schedule-words.ts';
import { sentence } from '../../kit/explain.ts';
import { Failure } from '../../kit/Failure.tsx';
import { Loaded } from '../../kit/Loaded.tsx';
import type { ApiProblem } from '../../server/api-problem.ts';
import { useProject } from '../../server/project.ts';
import { useMay } from '../../server/session.ts';
import { differencesIn } from '../../targeting/change-words.ts';
import { DifferenceBox } from '../../targeting/DifferenceBox.tsx';
import { ExampleWords } from '../../targeting/ExampleWords.tsx';
import { rangeWords } from '../../targeting/effect-words.ts';
import { WholeDefinition } from '../../targeting/WholeDefinition.tsx';
import { Button } from '../../ui/Button.tsx';
import { Tag } from '../../ui/Chip.tsx';
import { Notice } from '../../ui/Notice.tsx';
import { percent } from '../../ui/percent.ts';
import { SkeletonRows } from '../../ui/Skeleton.tsx';
import styles from './Operations.module.css';

interface Props {
  readonly changeset: ChangesetAnswer;
  readonly plan: UseQueryResult<ChangesetPlan, ApiProblem>;
}

/** What the changeset does: before it is applied against what is there now, afterwards as the audit log has it. */
export function Operations({ changeset, plan }: Props) {
  const may = useMay();
  // A plan would compare the first step of a ramp with what later steps have made of it.
  const isPast = (changeset.status === 'PUBLISHED' || hasBegun(changeset)) && may(listChanges);
  return (
    <section aria-labelledby="operations" className={styles.part}>
      <div className={styles.head}>
        <h2 id="operations">Operations</h2>
        <span className={styles.quiet}>
          {changeset.operations.length > 1 &&
            (changeset.status === 'PUBLISHED' ? 'Applied together' : 'Applied together or not at all')}
        </span>
      </div>
      {isPast ? (
        <PastOperations changeset={changeset} />
      ) : (
        <Loaded query={plan} skeleton={<SkeletonRows rows={4} />}>
          {({ operations }) => (
            <ol className={styles.list}>
              {operations.map((operation, index) => (
                <Frame key={keyOf(operation)} operation={operation} number={index + 1} line={<Effect {...operation} />}>
                  <Planned operation={operation} />
                </Frame>
              ))}
            </ol>
          )}
        </Loaded>
      )}
    </section>
  );
}

const keyOf = (operation: Operation): string => `${objectOf(operation).id} ${operation.environment?.id}`;

function PastOperations({ changeset }: Pick<Props, 'changeset'>) {
  const query = useChanges({ changesetId: changeset.id });
  const { hasNextPage, isFetching, fetchNextPage, isFetchNextPageError, error } = query;
  // What is not among them would count as not changed.
  useEffect(() => {
    if (hasNextPage && !isFetching && !isFetchNextPageError) void fetchNextPage();
  }, [hasNextPage, isFetching, fetchNextPage, isFetchNextPageError]);
  if (isFetchNextPageError && error) return <Failure problem={error} onRetry={() => void fetchNextPage()} />;
  if (hasNextPage) return <SkeletonRows rows={4} />;
  return (
    <Loaded query={query} skeleton={<SkeletonRows rows={4} />}>
      {({ pages }) => {
        const entries = pages.flatMap(({ data }) => data);
        return (
          <ol className={styles.list}>
            {changeset.operations.map((operation, index) => (
              <Frame key={keyOf(operation)} operation={operation} number={index + 1}>
                <MadeInSteps
                  operation={operation}
                  appliedAt={changeset.schedule?.appliedAt ?? []}
                  changes={entries
                    .filter(
                      ({ object, environmentId }) =>
                        object.id === objectOf(operation).id && environmentId === operation.environment?.id,
                    )
                    .toReversed()}
                />
              </Frame>
            ))}
          </ol>
        );
      }}
    </Loaded>
  );
}

const editWords: Readonly<Record<Operation['edit']['kind'], string>> = {
  create: 'Create',
  replace: 'Change',
  patch: 'Change',
  kill: 'Kill',
  restore: 'Restore',
  delete: 'Remove',
  addKeys: 'Add keys',
  removeKeys: 'Remove keys',
  removeAllKeys: 'Remove all keys',
  uploadKeys: 'Replace the keys',
  replaceRules: 'Change',
};

interface FrameProps {
  readonly operation: Operation;
  readonly number: number;
  readonly line?: ReactNode;
  readonly children: ReactNode;
}

function Frame({ operation, number, line, children }: FrameProps) {
  const [isJson, setJson] = useState(false);
  const { environment, edit } = operation;
  return (
    <li className={styles.operation}>
      <span className={styles.number} aria-hidden>
        {number}
      </span>
      <div className={styles.body}>
        <div className={styles.title}>
          <span className={styles.name}>
            <ObjectLink operation={operation} />
            {environment && <span className={styles.quiet}> in {environment.name}</span>}
          </span>
          <Tag>{editWords[edit.kind]}</Tag>
          <Button look="quiet" size="small" aria-expanded={isJson} onClick={() => setJson(!isJson)}>
            JSON
          </Button>
        </div>
        {line}
        {children}
        {isJson && (
          // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable areas must be reachable by keyboard
          <pre className={styles.json} tabIndex={0}>
            {JSON.stringify(edit, null, 2)}
          </pre>
        )}
      </div>
    </li>
  );
}

function ObjectLink({ operation: { flag, segment, environment } }: { readonly operation: Operation }) {
  const project = useProject().name;
  if (segment && environment) {
    return (
      <NameLink
        to="/p/$project/segments/$segment/$environment"
        params={{ project, segment: segment.name, environment: environment.name }}
      >
        <span className="mono">{segment.name}</span>
      </NameLink>
    );
  }
  const name = <span className="mono">{flag?.name}</span>;
  return environment ? (
    <NameLink
      to="/p/$project/flags/$flag/$environment"
      params={{ project, flag: flag?.name ?? '', environment: environment.name }}
    >
      {name}
    </NameLink>
  ) : (
    <NameLink to="/p/$project/flags/$flag/details" params={{ project, flag: flag?.name ?? '' }}>
      {name}
    </NameLink>
  );
}

/** "on 10% → 50%. 40% of all user keys move from off to on." */
function Effect({ shares, moves, unknown, trafficType = '' }: PlannedOperation) {
  const changed = shares.filter(({ before, after }) => rangeWords(before) !== rangeWords(after));
  if (changed.length + moves.length === 0) return null;
  return (
    <p className={styles.effect}>
      {changed.map(({ treatment, before, after }, index) => (
        <span key={treatment}>
          {index > 0 && ', '}
          <code>{treatment}</code> <span className="num">{`${rangeWords(before)} → ${rangeWords(after)}`}</span>
        </span>
      ))}
      {changed.length > 0 && ' of all keys. '}
      {moves.map(({ from, to, share }) => (
        <span key={`${from} ${to}`}>
          <span className="num">{percent(share)}</span> of {trafficType} keys move from <code>{from}</code> to{' '}
          <code>{to}</code>.{' '}
        </span>
      ))}
      {unknown.length > 0 && `Cannot tell exactly: depends on ${unknown.join(' and ')}.`}
    </p>
  );
}

/** Against what is there now. */
function Planned({ operation }: { readonly operation: PlannedOperation }) {
  const {
    differences,
    created,
    treatments,
    trafficType = '',
    findings,
    laterSteps,
    conflicts,
    refusal,
    edit,
    environment,
  } = operation;
  return (
    <>
      {conflicts.length > 0 && (
        <Notice kind="danger">
          {conflicts.map((conflict) => (
            <p key={conflict}>{sentence(capital(conflict))}</p>
          ))}
        </Notice>
      )}
      {laterSteps.length > 0 && <p className={styles.quiet}>Step 1</p>}
      {created && (
        <div className={styles.whole}>
          <p className={styles.quiet}>Not defined in {environment?.name} yet. SDKs answer control.</p>
          <WholeDefinition targeting={created} order={treatments} trafficType={trafficType} />
        </div>
      )}
      {edit.kind === 'delete' && (
        <p className={styles.effect}>
          Removes the definition. Everyone in {environment?.name} gets <code>control</code>.
        </p>
      )}
      <Differences operation={operation} differences={differences} when="now" />
      {!created && differences.length === 0 && conflicts.length === 0 && <Edited operation={operation} />}
      <Findings findings={findings} />
      {laterSteps
        .filter((one) => one.isConflict || one.differences.length + one.findings.length > 0)
        .map((one) => (
          <section key={one.step} className={styles.step} aria-label={`Step ${one.step}`}>
            <p className={styles.quiet}>Step {one.step}</p>
            {one.isConflict && (
              <Notice kind="danger">Someone else changed the same part, so this step would fail.</Notice>
            )}
            <Differences operation={operation} differences={one.differences} when="later" />
            <Findings findings={one.findings} />
          </section>
        ))}
      {refusal !== undefined && <p className={styles.refusal}>{sentence(refusal)}</p>}
    </>
  );
}

interface DifferencesProps extends Pick<PlannedOperation, 'differences'> {
  readonly operation: PlannedOperation;
  readonly when: 'now' | 'later';
}

function Differences({ operation: { treatments, trafficType = '' }, differences, when }: DifferencesProps) {
  const look = { order: treatments, trafficType, when };
  return differences.map((difference, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the list is rebuilt each time
    <DifferenceBox key={index} difference={difference} {...look} />
  ));
}

const Findings = ({ findings }: Pick<PlannedOperation, 'findings'>) =>
  findings.map(({ title, text, example }) => (
    <p key={`${title} ${text}`} className={styles.finding}>
      <TriangleAlert size={15} aria-hidden />{' '}
      <span>
        <b>{title}.</b> {text} {example && <ExampleWords example={example} />}
      </span>
    </p>
  ));

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

const shownKeys = 10;

/** What is not drawn: keys, details of a flag, rules of a segment. */
function Edited({ operation: { edit, flag, environment } }: { readonly operation: Operation }) {
  const { kind, keys = [], operations: patch = [] } = edit;
  if (kind === 'addKeys' || kind === 'removeKeys') {
    return (
      <p className={styles.effect}>
        {keys.length === 1 ? '1 key' : `${keys.length.toLocaleString('en')} keys`}:{' '}
        <span className="mono">{keys.slice(0, shownKeys).join(', ')}</span>
        {keys.length > shownKeys && ` and ${(keys.length - shownKeys).toLocaleString('en')} more`}
      </p>
    );
  }
  if (kind === 'replaceRules') return <p className={styles.effect}>Replaces the rules of the segment.</p>;
  if (flag && !environment) {
    const after = Object.fromEntries(
      patch.map(({ path, ...rest }) => [path.slice(1), 'value' in rest ? rest.value : '']),
    );
    return <FieldTable before={undefined} after={after} nameOf={() => undefined} />;
  }
  return kind === 'delete' ? null : <p className={styles.effect}>Nothing would change: it is already like this.</p>;
}

interface StepsProps {
  readonly operation: Operation;
  /** Oldest first. */
  readonly changes: readonly Change[];
  readonly appliedAt: readonly number[];
}

/** A ramp changes the same definition several times. */
function MadeInSteps({ operation, changes, appliedAt }: StepsProps) {
  if (appliedAt.length < 2) return <Made operation={operation} change={changes.at(-1)} />;
  return appliedAt.map((at, index) => (
    <section key={at} className={styles.step} aria-label={`Step ${index + 1}`}>
      <p className={styles.quiet}>
        Step {index + 1}, {timeWords(at, zoneHere())}
      </p>
      <Made
        operation={operation}
        change={changes.find(
          ({ createdAt }) => createdAt >= at && createdAt < (appliedAt[index + 1] ?? Number.POSITIVE_INFINITY),
        )}
      />
    </section>
  ));
}

/** What it changed, from the audit log. */
function Made({ operation, change }: { readonly operation: Operation; readonly change: Change | undefined }) {
  if (!change) return <p className={styles.effect}>It was already like this: nothing changed.</p>;
  const { object, before, after } = change;
  if (object.type !== 'definition') {
    return operation.flag ? (
      <FieldTable before={before} after={after} nameOf={() => undefined} />
    ) : (
      <Edited operation={operation} />
    );
  }
  const was = before ? recordedTargeting(before) : undefined;
  const is = after ? recordedTargeting(after) : undefined;
  const order = orderOf(was, is);
  const trafficType = ((after ?? before) as Definition).trafficType.name;
  if (!is) return <p className={styles.effect}>Removed the definition.</p>;
  if (!was) {
    return (
      <div className={styles.whole}>
        <WholeDefinition targeting={is} order={order} trafficType={trafficType} />
      </div>
    );
  }
  return differencesIn(change).map((difference, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: an entry never changes
    <DifferenceBox key={index} difference={difference} order={order} trafficType={trafficType} when="past" />
  ));
}
