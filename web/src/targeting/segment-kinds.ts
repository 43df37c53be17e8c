/** The three kinds of segments in words. */
import { Database, ListFilter, type LucideIcon, Rows3 } from 'lucide-react';
import {
  activateLargeSegment,
  createLargeSegment,
  deactivateLargeSegment,
  deleteLargeSegment,
} from '#contract/large-segments.ts';
import {
  activateRuleBasedSegment,
  createRuleBasedSegment,
  deactivateRuleBasedSegment,
  deleteRuleBasedSegment,
} from '#contract/rule-based-segments.ts';
import { activateSegment, createSegment, deactivateSegment, deleteSegment } from '#contract/segments.ts';
import type { SegmentKind } from '#domain/segments.ts';
import { call } from '../server/api.ts';

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

interface Place {
  readonly kind: SegmentKind;
  readonly name: string;
  /** The id. */
  readonly environment: string;
}

export function activate({ kind, name, environment }: Place): Promise<unknown> {
  if (kind === 'large') return call(activateLargeSegment, { params: { environment, largeSegment: name } });
  if (kind === 'standard') return call(activateSegment, { params: { environment, segment: name } });
  return call(activateRuleBasedSegment, { params: { environment, ruleBasedSegment: name } });
}

export function deactivate({ kind, name, environment }: Place): Promise<unknown> {
  if (kind === 'large') return call(deactivateLargeSegment, { params: { environment, largeSegment: name } });
  if (kind === 'standard') return call(deactivateSegment, { params: { environment, segment: name } });
  return call(deactivateRuleBasedSegment, { params: { environment, ruleBasedSegment: name } });
}

export function remove(project: string, { kind, name }: Pick<Place, 'kind' | 'name'>): Promise<unknown> {
  if (kind === 'large') return call(deleteLargeSegment, { params: { project, largeSegment: name } });
  if (kind === 'standard') return call(deleteSegment, { params: { project, segment: name } });
  return call(deleteRuleBasedSegment, { params: { project, ruleBasedSegment: name } });
}
