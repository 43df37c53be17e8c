import { TriangleAlert } from 'lucide-react';
import { Button } from '../ui/Button.tsx';
import { useKnownSegments } from './known-segments.ts';
import { useRulePlace } from './rule-place.ts';
import styles from './SegmentMarks.module.css';
import { useMakeSegment } from './use-make-segment.ts';

interface Props {
  /** The segments that this step or condition names. */
  readonly names: readonly string[];
  /** All that the rules name, if more: they are read together. */
  readonly all?: readonly string[];
  /** Removes the conditions that name a segment which does not exist. */
  readonly onRemove?: ((name: string) => void) | undefined;
}

/** Marks segments that are empty because they do not exist or are not active, and offers to change that. */
export function SegmentMarks({ names, all = names, onRemove }: Props) {
  const { environment } = useRulePlace();
  const { known } = useKnownSegments(environment.id, all);
  return [...new Set(names)].map((name) => {
    const segment = known.get(name);
    if (segment === undefined || (segment !== 'missing' && segment.isActive)) return null;
    return segment === 'missing' ? (
      <SegmentMark key={name} name={name} kind={undefined} onRemove={onRemove && (() => onRemove(name))} />
    ) : (
      <SegmentMark key={name} name={name} kind={segment.kind} />
    );
  });
}

type MarkProps = Parameters<ReturnType<typeof useMakeSegment>['make']>[0] & {
  readonly onRemove?: (() => void) | undefined;
};

/** `kind` of a segment that is not active here; undefined if there is no such segment. */
function SegmentMark({ name, kind, onRemove }: MarkProps) {
  const { environment, trafficType } = useRulePlace();
  const { make, isBusy, refusal } = useMakeSegment(environment, trafficType);
  return (
    <p className={styles.mark}>
      <TriangleAlert size={13} aria-hidden />
      <span>
        {kind
          ? `Segment ${name} is not active in ${environment.name}, so nobody is in it.`
          : `Segment ${name} does not exist, so nobody is in it.`}{' '}
        <Button
          look="link"
          aria-label={kind ? `Activate ${name} in ${environment.name}` : `Create ${name}`}
          refusal={kind ? refusal.activate : refusal.create}
          isBusy={isBusy}
          onClick={() => make({ name, kind })}
        >
          {kind ? 'Activate' : 'Create'}
        </Button>
        {onRemove && (
          <>
            {' or '}
            <Button look="link" aria-label={`Remove the condition on ${name}`} onClick={onRemove}>
              Remove condition
            </Button>
          </>
        )}
      </span>
    </p>
  );
}
