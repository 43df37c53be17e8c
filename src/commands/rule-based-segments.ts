/** The definition of a rule-based segment in an environment. `segments.ts` has what it shares with other segments. */
import { parseSegmentRules } from '#domain/definitions/parse.ts';
import type { Environment } from '#domain/environments.ts';
import { equalJson, JsonText } from '#domain/json.ts';
import { refuse } from '#domain/problems.ts';
import type { Note, Project } from '#domain/projects.ts';
import { nextRevision, requireMatch } from '#domain/revisions.ts';
import {
  checkSegmentRules,
  excludedTypeOf,
  flagsNamedIn,
  maxFlags,
  maxSegments,
  placeOf,
  referencesOf,
  rulesTextOf,
  type SegmentRules,
  type StoredRules,
  segmentsNamedIn,
  toRuleBasedText,
  toRulesText,
  withTypes,
} from '#domain/rule-based-segments.ts';
import { type Segment, warnAboutEmpty } from '#domain/segments.ts';
import { listFlagNames } from '#store/flags.ts';
import { saveReferences } from '#store/references.ts';
import { saveRules } from '#store/rule-based-segments.ts';
import { listNamedSegments } from '#store/segments.ts';
import { requireDirect } from './approvals.ts';
import { type Context, type RecordingTx, write } from './context.ts';
import { findCycle } from './cycles.ts';
import { requireNote } from './projects.ts';
import { entry, type LockedPlace, lockPlace, lockSegment } from './segments.ts';

export interface RulesChange {
  readonly project: Project;
  readonly environment: Environment;
  readonly segment: Segment;
  readonly note: Note;
  readonly ifMatch: string | undefined;
  /** The least change number, of an import; that of the clock if absent. */
  readonly atLeast?: number | undefined;
}

export interface ReplacedRules {
  readonly stored: StoredRules;
  /** About segments that it names. */
  readonly warnings: readonly string[];
}

/** Replaces the definition of a segment that is active in the environment. */
export const replaceRules = (context: Context, change: RulesChange, body: unknown) =>
  write(context, (tx) => replaceRulesIn(tx, change, body));

export async function replaceRulesIn(tx: RecordingTx, change: RulesChange, body: unknown): Promise<ReplacedRules> {
  await requireNote(tx, change.project, change.note);
  const place = await lockPlace(tx, change.environment, await lockSegment(tx, change.segment), change.atLeast);
  const { segment, activation } = place;
  const recording = await requireDirect(tx, place);
  requireMatch(change.ifMatch, { id: segment.id, revision: activation.changeNumber });
  return replaceLockedRulesIn(recording, { ...place, note: change.note }, body);
}

/** The same at a place that is locked, for somebody who may do it there. */
export async function replaceLockedRulesIn(
  tx: RecordingTx,
  { note, ...place }: LockedPlace & Pick<RulesChange, 'note'>,
  body: unknown,
): Promise<ReplacedRules> {
  const parsed = parseSegmentRules(body);
  const { environment, segment, activation, changeNumber } = place;
  const named = await listNamedSegments(
    tx,
    { projectId: segment.projectId, environmentId: environment.id },
    segmentsNamedIn(parsed).slice(0, maxSegments),
  );
  const after = withTypes(parsed, new Map(named.map(({ name, kind }) => [name, excludedTypeOf[kind]])));
  const warnings = warnAboutEmpty(segmentsNamedIn(after), named, environment.name);
  const before = JSON.parse(rulesTextOf(activation)) as SegmentRules;
  if (equalJson(after, before)) return tx.unchanged({ stored: place, warnings });
  const rules = await requireValid(tx, place, { before, after });
  const references = referencesOf(after);
  if (!equalJson(references, referencesOf(before))) {
    await saveReferences(tx, environment.id, { kind: 'segment', id: segment.id, name: segment.name }, references);
  }
  const updatedAt = nextRevision(tx.now, activation.updatedAt);
  const stored = { segment, environment, activation: { ...activation, rules, changeNumber, updatedAt } };
  await saveRules(tx, stored);
  await tx.record({
    ...entry('segment.changed', segment, environment),
    before: new JsonText(toRuleBasedText(place)),
    after: new JsonText(toRuleBasedText(stored)),
    note,
    notBefore: updatedAt,
  });
  return { stored, warnings };
}

/** SDKs download whole definitions, so their size is limited. */
const maxCharacters = 1_048_576;

/** Refuses with all complaints, then a cycle. Returns the text to store. */
async function requireValid(
  tx: RecordingTx,
  { environment, segment }: LockedPlace,
  { before, after }: { before: SegmentRules; after: SegmentRules },
): Promise<string> {
  // One more than allowed is enough for the complaint; do not look up the rest.
  const flags = flagsNamedIn(after).slice(0, maxFlags + 1);
  const existing = await listFlagNames(tx, segment.projectId, flags);
  // A flag that was deleted since must not block other edits.
  const complaints = checkSegmentRules(after, new Set([...existing, ...flagsNamedIn(before)]));
  const text = toRulesText(after);
  if (text.length > maxCharacters) {
    complaints.push(`the definition must not have more than ${maxCharacters} characters`);
  }
  refuse('rule_based_segment_invalid', complaints);
  const known = new Set(referencesOf(before).map(({ kind, name }) => `${kind} ${name}`));
  // Only a new reference can close a cycle, since there was none before.
  const added = referencesOf(after).filter(({ kind, name }) => !known.has(`${kind} ${name}`));
  const cycle = await findCycle(tx, environment.id, { kind: 'segment', name: segment.name }, added);
  refuse('rule_based_segment_invalid', cycle ? [`${placeOf(after, cycle.through)} ${cycle.complaint}`] : []);
  return text;
}
