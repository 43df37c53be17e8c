/** The parts of a definition that have no difference, for a comparison that shows everything. */
import type { Difference } from './differences.ts';

const parts: readonly [name: string, kinds: readonly Difference['kind'][]][] = [
  ['Individual targets', ['keys', 'segments']],
  ['Traffic allocation', ['trafficAllocation']],
  ['Rules', ['rule']],
  ['Everyone else', ['defaultRule']],
  ['Treatments', ['treatment', 'treatmentOrder']],
  ['Served when killed', ['defaultTreatment']],
  ['Baseline', ['baselineTreatment']],
  ['Impressions', ['impressionsDisabled']],
  ['Killed', ['killed']],
];

export const partsWithout = (differences: readonly Difference[]): string[] =>
  parts.filter(([, kinds]) => !differences.some(({ kind }) => kinds.includes(kind))).map(([name]) => name);
