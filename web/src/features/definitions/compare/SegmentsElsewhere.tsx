import { TriangleAlert } from 'lucide-react';
import type { Environment } from '../../../server/project.ts';
import { useProject } from '../../../server/project.ts';
import { type KnownSegment, useKnownSegments } from '../../../targeting/known-segments.ts';
import { RulePlaceContext } from '../../../targeting/rule-place.ts';
import styles from '../../../targeting/SegmentMarks.module.css';
import { SegmentMarks } from '../../../targeting/SegmentMarks.tsx';
import { TextLink } from '../../../ui/TextLink.tsx';

interface Props {
  /** The segments that the copied or compared rules name. */
  readonly names: readonly string[];
  readonly from: Environment;
  readonly to: Environment;
  readonly trafficType: string;
}

/** Segments that rules of one environment name, and that are missing or empty in another. */
export function SegmentsElsewhere({ names, from, to, trafficType }: Props) {
  const project = useProject();
  const here = useKnownSegments(from.id, names).known;
  const there = useKnownSegments(to.id, names).known;
  const isEmptied = (name: string) => isEmpty(there.get(name)) && isEmpty(here.get(name)) === false;
  return (
    <RulePlaceContext value={{ environment: to, trafficType, trafficTypeId: '', flag: undefined, segment: undefined }}>
      <div>
        <SegmentMarks names={names} />
        {[...new Set(names)].filter(isEmptied).map((name) => (
          <p key={name} className={styles.mark}>
            <TriangleAlert size={13} aria-hidden />
            <span>
              Segment {name} is empty in {to.name}, but not in {from.name}.{' '}
              <TextLink
                to="/p/$project/segments/$segment/$environment"
                params={{ project: project.name, segment: name, environment: to.name }}
                aria-label={`Open ${name} in ${to.name}`}
              >
                Open
              </TextLink>
            </span>
          </p>
        ))}
      </div>
    </RulePlaceContext>
  );
}

/** Undefined if it is not active there, which `SegmentMarks` says, or not known. */
function isEmpty(segment: KnownSegment | 'missing' | undefined): boolean | undefined {
  if (!segment || segment === 'missing' || !segment.isActive) return undefined;
  return segment.rules ? segment.rules.rules.length === 0 : segment.keyCount === 0;
}
