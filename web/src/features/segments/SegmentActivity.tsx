import { useQuery } from '@tanstack/react-query';
import { listChanges } from '#contract/changes.ts';
import type { Change } from '#domain/changes.ts';
import { differencesBetween } from '#domain/definitions/differences.ts';
import type { SegmentRules } from '#domain/rule-based-segments.ts';
import { toSegmentTargeting } from '#domain/segment-targeting.ts';
import { ActivityRail, type ChangeWords } from '../../activity/ActivityRail.tsx';
import { countOf } from '../../administration/count.ts';
import { type Environment, useProject } from '../../server/project.ts';
import { useMay } from '../../server/session.ts';
import { differenceLine } from '../../targeting/difference-words.ts';
import { TextLink } from '../../ui/TextLink.tsx';
import { sourceWords } from './Origin.tsx';
import { RevertRules } from './rules/RevertRules.tsx';
import { type SegmentAnswer, useSegmentChanges } from './segments-query.ts';

interface Props {
  readonly segment: SegmentAnswer;
  readonly environment: Environment;
}

/** Recent changes to the segment in the environment. */
export function SegmentActivity({ segment, environment }: Props) {
  const project = useProject();
  const may = useMay();
  const changes = useQuery(useSegmentChanges(segment, environment));
  if (!may(listChanges)) return null;
  return (
    <ActivityRail
      query={changes}
      all={
        <TextLink
          to="/p/$project/activity"
          params={{ project: project.name }}
          search={{ kind: 'segment', env: environment.name }}
        >
          View all
        </TextLink>
      }
      wordsOf={(change) => wordsOf(change, segment.trafficType.name)}
      actionFor={(change) =>
        isOfRules(change) && <RevertRules segment={segment} environment={environment} change={change} />
      }
    />
  );
}

const sentences: Readonly<Record<string, string>> = {
  'segment.activated': 'Activated',
  'segment.deactivated': 'Deactivated',
  'segment.changed': 'Rules changed',
  'segment.upload_requested': 'Upload requested',
  'segment.keys_archived': 'All keys removed',
};

interface Keys {
  readonly keyCount?: number;
  readonly added?: number;
  readonly removed?: number;
  readonly source?: string;
}

const isOfRules = ({ auditLogType, before, after }: Pick<Change, 'auditLogType' | 'before' | 'after'>): boolean =>
  auditLogType === 'segment.changed' && before !== undefined && after !== undefined;

/** Counts instead of lists. */
function wordsOf({ auditLogType, before, after }: Change, trafficType: string): ChangeWords {
  const { keyCount = 0, added = 0, removed = 0, source } = (after ?? {}) as Keys;
  const from = source === undefined ? [] : [source === 'hand' ? 'By hand' : sourceWords(source)];
  if (auditLogType === 'segment.keys_added') return { what: `${countOf(added, 'key')} added`, details: from };
  if (auditLogType === 'segment.keys_removed') return { what: `${countOf(removed, 'key')} removed`, details: from };
  if (auditLogType === 'segment.keys_replaced') {
    return { what: `${countOf(added, 'key')} added, ${removed.toLocaleString('en')} removed`, details: from };
  }
  if (auditLogType === 'segment.keys_uploaded') {
    return { what: `Replaced with ${countOf(keyCount, 'key')}`, details: [] };
  }
  return {
    what: sentences[auditLogType] ?? 'Changed',
    details: isOfRules({ auditLogType, before, after })
      ? ruleLines(before as SegmentRules, after as SegmentRules, trafficType)
      : [],
  };
}

function ruleLines(before: SegmentRules, after: SegmentRules, trafficType: string): string[] {
  const [first, ...others] = differencesBetween(toSegmentTargeting(before), toSegmentTargeting(after));
  if (!first) return [];
  return [
    `${differenceLine(first, trafficType)}${others.length > 0 ? `; ${countOf(others.length, 'more change')}` : ''}`,
  ];
}
