/** The three kinds of segments in words. */
import { Database, ListFilter, type LucideIcon, Rows3 } from 'lucide-react';
import { createLargeSegment } from '#contract/large-segments.ts';
import { createRuleBasedSegment } from '#contract/rule-based-segments.ts';
import { createSegment } from '#contract/segments.ts';
import type { SegmentKind } from '#domain/segments.ts';

interface KindWords {
  readonly name: string;
  readonly icon: LucideIcon;
  readonly about: string;
  readonly limit: string;
}

/** In the order in which they are offered. */
export const kinds: readonly SegmentKind[] = ['standard', 'rule_based', 'large'];

export const kindWords: Readonly<Record<SegmentKind, KindWords>> = {
  standard: {
    name: 'Standard',
    icon: Rows3,
    about: 'A list of keys. You add and remove single keys.',
    limit: 'Up to 100,000 keys per environment',
  },
  rule_based: {
    name: 'Rule-based',
    icon: ListFilter,
    about: 'Conditions on attributes, checked for each evaluation. It has no size.',
    limit: 'May include or exclude other segments',
  },
  large: {
    name: 'Large',
    icon: Database,
    about: 'Replaced as a whole by a CSV file. The old list is served until the upload is complete.',
    limit: 'Up to 10,000,000 keys per environment',
  },
};

export const creating = { standard: createSegment, rule_based: createRuleBasedSegment, large: createLargeSegment };
