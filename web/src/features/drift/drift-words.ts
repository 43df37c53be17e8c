import type { DefinitionSummary } from '#domain/definitions/summary.ts';
import { type Drift, driftBetween } from '#domain/drift.ts';
import { equalJson } from '#domain/json.ts';
import { capitalised } from '../../kit/drift-kinds.ts';
import type { Environment } from '../../server/project.ts';
import { percent } from '../../ui/percent.ts';

/** A definition in an environment; undefined if the flag is not defined there. */
export interface Side {
  readonly environment: Environment;
  readonly definition: DefinitionSummary | undefined;
}

/** What differs between two environments: "Share, 2 instead of 3 rules". */
export function differencesInWords(base: Side, other: Side): string {
  const [mine, theirs] = [base.definition, other.definition];
  const drift = driftBetween(mine, theirs);
  if (!drift) return 'Same';
  if (!mine || !theirs) return `Not in ${(mine ? other : base).environment.name}`;
  const words = drift.kinds.flatMap((kind) => {
    if (kind === 'killed') return [`killed in ${(mine.killed ? base : other).environment.name}`];
    if (kind === 'targeting') return targetingInWords(mine, theirs);
    return equalJson(mine.defaultRule, theirs.defaultRule) ? ['traffic allocation'] : ['share'];
  });
  return capitalised(words.join(', '));
}

function targetingInWords(mine: DefinitionSummary, theirs: DefinitionSummary): string[] {
  const words = [
    ...(equalJson(mine.treatments, theirs.treatments) ? [] : ['treatments']),
    ...(mine.defaultTreatment === theirs.defaultTreatment ? [] : ['default treatment']),
    ...(mine.ruleCount === theirs.ruleCount ? [] : [`${theirs.ruleCount} instead of ${mine.ruleCount} rules`]),
  ];
  return words.length > 0 ? words : ['rules or targets'];
}

/** For screen readers and the tooltip of a cell. */
export function cellInWords(base: Side, other: Side, drift: Drift | undefined): string {
  const where = `${other.environment.name}: `;
  if (!drift) return other.definition ? `${where}same` : `${where}not defined in either`;
  if (drift.kinds.includes('defined')) return where + differencesInWords(base, other);
  const moved = drift.share > 0 ? `at least ${percent(drift.share)} of keys get another treatment; ` : '';
  return `${where}${moved}differs in: ${differencesInWords(base, other)}`;
}
