import { Type } from 'typebox';
import { RuleBasedBody, RuleBasedDefinition, RuleBasedSegment } from '#domain/rule-based-segments.ts';
import { NewSegment } from '#domain/segments.ts';
import { endpoint } from './endpoint.ts';
import { NoteQuery, OffsetPage, True } from './parts.ts';

const readProject = { needs: 'segment.read', scope: 'project' } as const;
const writeProject = { needs: 'segment.write', scope: 'project' } as const;
const read = { needs: 'segment.read', scope: 'environment' } as const;
const write = { needs: 'segmentContent.write', scope: 'environment' } as const;

/** Some clients do not page at all. */
const pageSize = { default: 1_000, max: 1_000 };

export const listRuleBasedSegments = endpoint({
  method: 'GET',
  path: '/rule-based-segments/ws/:project',
  summary: 'List rule-based segments',
  description: 'In order of creation. The reply is a bare array; an offset beyond the last one gives an empty array.',
  access: readProject,
  pageSize,
  query: OffsetPage(pageSize),
  reply: Type.Array(RuleBasedSegment),
  problems: [],
});

export const createRuleBasedSegment = endpoint({
  method: 'POST',
  path: '/rule-based-segments/ws/:project/trafficTypes/:trafficType',
  summary: 'Create a rule-based segment',
  description: 'It is active nowhere yet. A name exists once in a project over all kinds of segments.',
  access: writeProject,
  body: NewSegment,
  reply: RuleBasedSegment,
  problems: ['segment_name_taken'],
});

export const getRuleBasedSegment = endpoint({
  method: 'GET',
  path: '/rule-based-segments/ws/:project/:ruleBasedSegment',
  summary: 'Get a rule-based segment',
  access: readProject,
  reply: RuleBasedSegment,
  problems: [],
});

export const deleteRuleBasedSegment = endpoint({
  method: 'DELETE',
  path: '/rule-based-segments/ws/:project/:ruleBasedSegment',
  summary: 'Delete a rule-based segment',
  description: 'Also removes it from all environments. Refused while something names it.',
  access: writeProject,
  reply: True,
  problems: ['segment_in_use'],
});

export const listRuleBasedDefinitions = endpoint({
  method: 'GET',
  path: '/rule-based-segments/ws/:project/environments/:environment',
  summary: 'List rule-based segments of an environment',
  description: 'Those that are active there, with their definitions, in order of creation, as a bare array.',
  access: read,
  pageSize,
  query: OffsetPage(pageSize),
  reply: Type.Array(RuleBasedDefinition),
  problems: ['too_many_large_responses'],
});

const place = '/rule-based-segments/:environment/:ruleBasedSegment';

export const activateRuleBasedSegment = endpoint({
  method: 'POST',
  path: place,
  summary: 'Activate a rule-based segment',
  description: 'Makes it usable in the environment. It has no rules there, so nobody is in it. A body is ignored.',
  access: write,
  reply: RuleBasedDefinition,
  problems: ['segment_active'],
});

export const deactivateRuleBasedSegment = endpoint({
  method: 'DELETE',
  path: place,
  summary: 'Deactivate a rule-based segment',
  description: 'Removes it from the environment. Refused while something names it there.',
  access: write,
  reply: True,
  problems: ['segment_not_active', 'segment_in_use'],
});

const path = '/rule-based-segments/ws/:project/:ruleBasedSegment/environments/:environment';

export const getRuleBasedDefinition = endpoint({
  method: 'GET',
  path,
  summary: 'Get the definition of a rule-based segment',
  description: 'An addition to the vendor’s API.',
  access: read,
  reply: RuleBasedDefinition,
  versioned: true,
  problems: ['segment_not_active'],
});

export const replaceRuleBasedDefinition = endpoint({
  method: 'PUT',
  path,
  summary: 'Replace the definition of a rule-based segment',
  description:
    'A key is in the segment if it is not excluded and one of the rules matches. Rules have the matchers of feature flags. A segment that it names need not exist; it counts as empty, and a `Warning` header says so.',
  access: write,
  query: NoteQuery,
  looseBody: RuleBasedBody,
  reply: RuleBasedDefinition,
  versioned: true,
  problems: [
    'approvals_required',
    'segment_not_active',
    'rule_based_segment_invalid',
    'note_required',
    'precondition_failed',
  ],
});
