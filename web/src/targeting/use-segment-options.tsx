/** Segments of the project to choose from, found by the server, with their size in the environment. */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useDeferredValue, useState } from 'react';
import { listSegments } from '#contract/segments.ts';
import { SegmentName } from '#domain/segments.ts';
import { countOf } from '../administration/count.ts';
import { reading } from '../server/api.ts';
import { useProject } from '../server/project.ts';
import type { Creation, Option } from '../ui/OptionList.tsx';
import { useRulePlace } from './rule-place.ts';
import styles from './SegmentMarks.module.css';
import { kindWords } from './segment-kinds.ts';
import { useMakeSegment } from './use-make-segment.ts';

const pageSize = 20;
const { pattern = '', maxLength = 100 } = SegmentName as { readonly pattern?: string; readonly maxLength?: number };
const allowed = new RegExp(pattern);

/** `onCreate` gets the name at once; the segment exists a moment later. */
export function useSegmentOptions(onCreate: (name: string) => void) {
  const project = useProject();
  const { environment, trafficType, segment: self } = useRulePlace();
  const { make, refusal } = useMakeSegment(environment, trafficType);
  const [text, setText] = useState('');
  const name = useDeferredValue(text);
  const { data } = useQuery({
    ...reading(listSegments, {
      params: { project: project.id },
      query: { name: name || undefined, kind: 'all', expand: 'environments', limit: pageSize },
    }),
    placeholderData: keepPreviousData,
  });
  const options = (data?.objects ?? [])
    .filter((one) => one.name !== self)
    .map((one): Option => {
      const usage = one.environments?.find((place) => place.environment.id === environment.id);
      const { kind = 'standard' } = one;
      const size = !usage?.active ? 'not active' : kind === 'rule_based' ? '' : countOf(usage.keyCount, 'key');
      const other = one.trafficType.name === trafficType ? '' : `for ${one.trafficType.name}`;
      return {
        id: one.name,
        label: one.name,
        // Below the name, because names are long.
        face: (
          <span className={styles.option}>
            <span className="mono">{one.name}</span>
            <small>{[kindWords[kind].name, size, other].filter(Boolean).join(' · ')}</small>
          </span>
        ),
      };
    });
  const isNew = allowed.test(text) && text.length <= maxLength && refusal.create === undefined;
  const create: Creation | undefined = isNew
    ? {
        label: (typed) => `Create segment ${typed}`,
        make: (typed) => {
          onCreate(typed);
          make({ name: typed, kind: undefined });
        },
      }
    : undefined;
  return { options, create, onSearch: setText, isCut: (data?.totalCount ?? 0) > pageSize };
}
