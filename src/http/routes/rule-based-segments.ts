import { replaceRules } from '#commands/rule-based-segments.ts';
import { activateSegment, createSegment, deactivateSegment, deleteSegment } from '#commands/segments.ts';
import { limited } from '#contract/parts.ts';
import * as contract from '#contract/rule-based-segments.ts';
import { Problem } from '#domain/problems.ts';
import { type StoredRules, toRuleBasedSegment, toRuleBasedText } from '#domain/rule-based-segments.ts';
import type { Reference } from '#domain/schema.ts';
import type { Segment } from '#domain/segments.ts';
import { listStoredRules } from '#store/rule-based-segments.ts';
import { findActivation, listSegments } from '#store/segments.ts';
import type { Reader } from '#store/sql.ts';
import { implement } from '../pipeline/implement.ts';
import { JsonReply, separated } from '../pipeline/json-reply.ts';
import { noteOf } from '../pipeline/notes.ts';

const kind = 'rule_based';

export const ruleBasedSegments = (db: Reader, accountId: string) =>
  implement(contract, {
    listRuleBasedSegments: async ({ project, query: { offset = 0, limit } }) => {
      const page = { offset, limit: limited(limit, contract.listRuleBasedSegments.pageSize) };
      const found = await listSegments(db, { projectId: project.id, kind }, page);
      return found.map((segment) => toRuleBasedSegment(segment, accountId));
    },
    createRuleBasedSegment: async ({ context, project, trafficType, body: { name, description = '' } }) =>
      toRuleBasedSegment(await createSegment(context, { project, trafficType, kind, name, description }), accountId),
    getRuleBasedSegment: async ({ ruleBasedSegment }) => toRuleBasedSegment(ruleBasedSegment, accountId),
    deleteRuleBasedSegment: async ({ context, ruleBasedSegment }) => deleteSegment(context, ruleBasedSegment),
    listRuleBasedDefinitions: async ({ project, environment, query: { offset = 0, limit } }) => {
      const page = { offset, limit: limited(limit, contract.listRuleBasedDefinitions.pageSize) };
      return new JsonReply(arrayText(listStoredRules(db, project.id, environment, page)));
    },
    activateRuleBasedSegment: async ({ context, environment, ruleBasedSegment: segment }) =>
      toReply(await activateSegment(context, { environment, segment })),
    deactivateRuleBasedSegment: async ({ context, environment, ruleBasedSegment: segment }) =>
      deactivateSegment(context, { environment, segment }),
    getRuleBasedDefinition: async ({ environment, ruleBasedSegment }) =>
      toReply(await readRules(db, environment, ruleBasedSegment)),
    replaceRuleBasedDefinition: async ({
      context,
      project,
      environment,
      ruleBasedSegment: segment,
      ifMatch,
      query,
      body,
      warn,
    }) => {
      const change = { project, environment, segment, ifMatch, note: noteOf(query, body) };
      const { stored, warnings } = await replaceRules(context, change, body);
      warn(warnings);
      return toReply(stored);
    },
  });

async function readRules(db: Reader, environment: Reference, segment: Segment): Promise<StoredRules> {
  const activation = await findActivation(db, environment.id, segment.id);
  if (!activation) throw new Problem('segment_not_active', { name: segment.name, environment: environment.name });
  return { segment, environment, activation };
}

const toReply = (stored: StoredRules): JsonReply =>
  new JsonReply(toRuleBasedText(stored), { id: stored.segment.id, revision: stored.activation.changeNumber });

async function* arrayText(definitions: AsyncIterable<StoredRules>): AsyncGenerator<string> {
  yield '[';
  yield* separated(textsOf(definitions));
  yield ']';
}

async function* textsOf(definitions: AsyncIterable<StoredRules>): AsyncGenerator<string> {
  for await (const definition of definitions) yield toRuleBasedText(definition);
}
