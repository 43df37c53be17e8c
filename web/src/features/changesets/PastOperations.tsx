import { type ComponentProps, useEffect } from 'react';
import type { Change } from '#domain/changes.ts';
import { type Definition, orderOf, recordedTargeting } from '#domain/definitions/definition.ts';
import { type Difference, differencesBetween } from '#domain/definitions/differences.ts';
import type { SegmentRules } from '#domain/rule-based-segments.ts';
import type { Reference } from '#domain/schema.ts';
import { toSegmentTargeting } from '#domain/segment-targeting.ts';
import { useChanges } from '../../activity/changes-query.ts';
import { FieldTable } from '../../activity/FieldTable.tsx';
import { type ChangesetAnswer, type Operation, objectOf } from '../../changesets/changesets-query.ts';
import { timeWords, zoneHere } from '../../changesets/schedule-words.ts';
import { Failure } from '../../kit/Failure.tsx';
import { Loaded } from '../../kit/Loaded.tsx';
import { differencesIn } from '../../targeting/change-words.ts';
import { DifferenceBox } from '../../targeting/DifferenceBox.tsx';
import { WholeDefinition } from '../../targeting/WholeDefinition.tsx';
import { SkeletonRows } from '../../ui/Skeleton.tsx';
import { Edited, keyOf, OperationFrame } from './OperationFrame.tsx';
import styles from './Operations.module.css';

/** What it did, from the audit log. */
export function PastOperations({ changeset }: { readonly changeset: ChangesetAnswer }) {
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
              <OperationFrame key={keyOf(operation)} operation={operation} number={index + 1}>
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
              </OperationFrame>
            ))}
          </ol>
        );
      }}
    </Loaded>
  );
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
  if (operation.edit.kind === 'replaceRules' && before && after) {
    const was = toSegmentTargeting(before as SegmentRules);
    const is = toSegmentTargeting(after as SegmentRules);
    const { trafficType } = after as { readonly trafficType: Reference };
    return <PastDifferences differences={differencesBetween(was, is)} order={[]} trafficType={trafficType.name} />;
  }
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
  return <PastDifferences differences={differencesIn(change)} order={order} trafficType={trafficType} />;
}

interface DifferencesProps extends Omit<ComponentProps<typeof DifferenceBox>, 'difference' | 'when'> {
  readonly differences: readonly Difference[];
}

const PastDifferences = ({ differences, ...look }: DifferencesProps) =>
  differences.map((difference, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: an entry never changes
    <DifferenceBox key={index} difference={difference} {...look} when="past" />
  ));
