/** Definitions: create, replace, patch, kill, restore, delete; notes, preconditions and dependencies. */
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import {
  type Aim,
  type Answered,
  type Entry,
  hit,
  holds,
  ifMatch,
  isMissing,
  matches,
  missing,
  type Note,
  names,
  noLongerHolds,
  noteQuery,
  notes,
  ok,
  page,
  refusal,
  rule,
} from './step.ts';
import type { Definition, Environment, Flag, Project, World } from './world.ts';

type Targeting = Pick<Definition, 'killed' | 'fallback' | 'allocation' | 'share' | 'keys' | 'needs'>;

/** A rule that asks for another flag. */
const asking = (splitName: string) => ({
  buckets: [{ treatment: 'on', size: 100 }],
  condition: { combiner: 'AND', matchers: [{ type: 'IN_SPLIT', depends: { splitName, treatments: ['on'] } }] },
});

const shownTargeting = ({ killed, fallback, allocation, share, keys, needs }: Targeting) => ({
  killed,
  trafficAllocation: allocation,
  defaultTreatment: fallback,
  baselineTreatment: 'on',
  treatments: [{ name: 'on', ...(keys.length === 0 ? {} : { keys }) }, { name: 'off' }],
  defaultRule: [
    { treatment: 'on', size: share },
    { treatment: 'off', size: 100 - share },
  ],
  rules: needs === undefined ? [] : [asking(needs)],
  impressionsDisabled: false,
});

export const shownDefinition = (definition: Definition, flag: Flag, project: Project) => ({
  id: flag.mark,
  name: flag.name,
  trafficType: { id: flag.type.mark, name: flag.type.name },
  environment: {
    id: definition.environment,
    name: project.environments.find(({ mark }) => mark === definition.environment)?.name,
  },
  ...shownTargeting(definition),
  creationTime: definition.createdAt,
  lastUpdateTime: definition.updatedAt,
});

/** As the audit log has it. */
export const recordedDefinition = (definition: Definition, flag: Flag, project: Project) => ({
  ...shownDefinition(definition, flag, project),
  seed: '@any',
  trafficAllocationSeed: '@any',
  algo: 2,
  changeNumber: definition.revision,
});

interface Place {
  readonly project: Project;
  readonly environment: Environment;
  readonly flag: Flag;
  readonly definition: Definition | undefined;
}

function findPlace(world: World, aim: Aim): Place | Answered {
  const project = hit(world.projects, aim.p);
  if (!project) return missing('project', aim.p);
  const environment = hit(project.environments, aim.e);
  if (!environment) return missing('environment', aim.e);
  const flag = hit(project.flags, aim.f);
  if (!flag) return missing('splitmetadata', aim.f);
  const definition = flag.definitions.find((one) => one.environment === environment.mark);
  return { project, environment, flag, definition };
}

const entry = (action: string, { project, environment, flag }: Place, note: Note): Entry => ({
  action: `definition.${action}`,
  object: { type: 'definition', id: flag.mark, name: flag.name },
  project: project.mark,
  environment: environment.mark,
  note,
});

/** The next number of the environment, which the change of a definition takes. */
function nextNumber({ environment }: Place, now: number): number {
  environment.changeNumber = Math.max(now, environment.changeNumber + 1);
  return environment.changeNumber;
}

/** The first complaint about what a definition asks for. */
function complaintAbout({ needs, share }: Targeting, place: Place): string | undefined {
  const { project, environment, flag, definition } = place;
  if (needs !== undefined) {
    const at = 'rules/0/condition/matchers/0/depends/splitName';
    if (needs === flag.name) return `${at} must not be the flag itself`;
    // A definition may keep a flag that was deleted since.
    const isKnown = needs === definition?.needs || project.flags.some(({ name }) => name === needs);
    if (!isKnown) return `${at} ${needs} is not a flag of the project`;
    const seen = new Set<string>();
    let next: string | undefined = needs;
    while (next !== undefined && !seen.has(next)) {
      seen.add(next);
      const asked: string | undefined = neededBy(next, project, environment);
      if (asked === flag.name) return `${at} ${needs} depends on ${flag.name}: that would be a cycle`;
      next = asked;
    }
  }
  return share > 100 ? '@any' : undefined;
}

const neededBy = (name: string, project: Project, environment: Environment): string | undefined =>
  project.flags
    .find((flag) => flag.name === name)
    ?.definitions.find((definition) => definition.environment === environment.mark)?.needs;

const isStored = (targeting: Targeting, { definition }: Place): boolean =>
  definition !== undefined && isDeepStrictEqual(shownTargeting(targeting), shownTargeting(definition));

interface Change {
  readonly action: string;
  readonly note: Note;
  readonly match: 'none' | 'current' | 'stale' | 'any';
  /** What comes out, or what is wrong. */
  readonly next: (definition: Definition, place: Place) => Targeting | string;
}

function change(world: World, aim: Aim, { action, note, match, next }: Change): Answered {
  const place = findPlace(world, aim);
  if ('status' in place) return place;
  const { project, flag, definition } = place;
  if (isMissing(project, note)) return { status: 400 };
  if (!definition) return missing('splitmetadata', aim.f);
  if (!holds(match, aim.versions.definition, definition.revision)) return noLongerHolds;
  const targeting = next(definition, place);
  if (typeof targeting === 'string') return refusal(400, targeting);
  const before = recordedDefinition(definition, flag, project);
  if (isStored(targeting, place))
    return ok(shownDefinition(definition, flag, project), { etag: { mark: flag.mark, revision: definition.revision } });
  Object.assign(definition, targeting, {
    revision: nextNumber(place, world.now),
    updatedAt: Math.max(world.now, definition.updatedAt + 1),
  });
  return ok(shownDefinition(definition, flag, project), {
    etag: { mark: flag.mark, revision: definition.revision },
    entry: { ...entry(action, place, note), before, after: recordedDefinition(definition, flag, project) },
  });
}

const targetings = fc.record({
  fallback: fc.constantFrom('on', 'off'),
  share: fc.constantFrom(0, 30, 100, 100, 101),
  needs: fc.option(names.f, { nil: undefined, freq: 3 }),
  killed: fc.option(fc.boolean(), { nil: undefined }),
});
type Body = { fallback: 'on' | 'off'; share: number; needs: string | undefined; killed: boolean | undefined };

const bodyOf = ({ fallback, share, needs, killed }: Body) => ({
  treatments: [{ name: 'on' }, { name: 'off' }],
  defaultTreatment: fallback,
  baselineTreatment: 'on',
  defaultRule: [
    { treatment: 'on', size: share },
    { treatment: 'off', size: 100 - share },
  ],
  ...(needs === undefined ? {} : { rules: [asking(needs)] }),
  ...(killed === undefined ? {} : { killed }),
});
const targetingOf = ({ fallback, share, needs, killed = false }: Body): Targeting => ({
  fallback,
  share,
  needs,
  killed,
  keys: [],
  allocation: 100,
});

const at = { p: names.p, e: names.e, f: names.f };
const pathOf = ({ p, e, f }: Aim) => `/splits/ws/${p.word}/${f.word}/environments/${e.word}`;

const patches = fc.oneof(
  fc.record({ kind: fc.constant('key' as const), value: fc.constantFrom('ana', 'bo', 'cy') }),
  fc.record({ kind: fc.constant('fallback' as const), value: fc.constantFrom('on', 'off', 'none') }),
  fc.record({ kind: fc.constant('allocation' as const), value: fc.constantFrom('10', '90') }),
  fc.record({ kind: fc.constant('killed' as const), value: fc.constantFrom('true', 'false') }),
  fc.record({ kind: fc.constant('rename' as const), value: fc.constant('other') }),
  fc.record({ kind: fc.constant('nowhere' as const), value: fc.constant('') }),
  fc.record({ kind: fc.constant('tested' as const), value: fc.constantFrom('on', 'off') }),
);

function operationsOf({ kind, value }: { kind: string; value: string }): object[] {
  if (kind === 'key') return [{ op: 'add', path: '/treatments/0/keys/-', value }];
  if (kind === 'fallback') return [{ op: 'replace', path: '/defaultTreatment', value }];
  if (kind === 'allocation') return [{ op: 'replace', path: '/trafficAllocation', value: Number(value) }];
  if (kind === 'killed') return [{ op: 'replace', path: '/killed', value }];
  if (kind === 'rename') return [{ op: 'replace', path: '/name', value }];
  if (kind === 'nowhere') return [{ op: 'remove', path: '/treatments/9' }];
  const allocation = { op: 'replace', path: '/trafficAllocation', value: 50 };
  return [allocation, { op: 'test', path: '/defaultTreatment', value }];
}

function patched(before: Definition, { kind, value }: { kind: string; value: string }): Targeting | string {
  const { killed, fallback, allocation, share, keys, needs } = before;
  const now: Targeting = { killed, fallback, allocation, share, keys, needs };
  if (kind === 'killed') return { ...now, killed: value === 'true' };
  if (kind === 'allocation') return { ...now, allocation: Number(value) };
  if (kind === 'rename') return '/name is set by the server and cannot be changed';
  if (kind === 'nowhere') return '0/path: there is nothing at /treatments/9';
  if (kind === 'fallback') {
    return value === 'none' ? 'defaultTreatment none is not a treatment' : { ...now, fallback: value as 'on' | 'off' };
  }
  if (kind === 'key') {
    return keys.includes(value)
      ? `treatments/0/keys/${keys.length} ${value} is used twice`
      : { ...now, keys: [...keys, value] };
  }
  if (value === fallback) return { ...now, allocation: 50 };
  return '1/value: the test failed, /defaultTreatment has another value';
}

/** What comes out must be right as a whole: a flag that is asked for may be gone by now. */
function valid(targeting: Targeting | string, place: Place): Targeting | string {
  if (typeof targeting === 'string' || isStored(targeting, place)) return targeting;
  return complaintAbout(targeting, place) ?? targeting;
}

const switching = (verb: 'kill' | 'restore') =>
  rule(`${verb} a definition`, {
    params: fc.record({ ...at, note: notes, match: matches, method: fc.constantFrom('PUT', 'POST') }),
    send: ({ note, match, method }, sending) => ({
      method,
      path: `${pathOf(sending.aim)}/${verb}`,
      body: note,
      headers: ifMatch(match, 'definition', sending),
    }),
    apply: (world, { note, match }, aim) =>
      change(world, aim, {
        action: verb === 'kill' ? 'killed' : 'restored',
        note,
        match,
        next: (now) => ({ ...now, killed: verb === 'kill' }),
      }),
  });

export const definitionSteps = [
  rule('create a definition', {
    params: fc.record({ ...at, body: targetings, note: notes }),
    send: ({ body, note }, { aim }) => ({ method: 'POST', path: pathOf(aim), body: { ...bodyOf(body), ...note } }),
    apply: (world, { body, note }, aim) => {
      const place = findPlace(world, aim);
      if ('status' in place) return place;
      const { project, environment, flag, definition: existing } = place;
      if (isMissing(project, note)) return { status: 400 };
      const targeting = targetingOf(body);
      const complaint = complaintAbout(targeting, place);
      if (body.share > 100) return refusal(400, '@any');
      if (complaint !== undefined) return refusal(400, complaint);
      if (existing) return refusal(409, `Definition of ${flag.name} in ${environment.name} already exists`);
      const { now } = world;
      const definition = { ...targeting, environment: environment.mark, createdAt: now, updatedAt: now, revision: 0 };
      definition.revision = nextNumber(place, now);
      flag.definitions.push(definition);
      return ok(shownDefinition(definition, flag, project), {
        etag: { mark: flag.mark, revision: definition.revision },
        entry: { ...entry('created', place, note), after: recordedDefinition(definition, flag, project) },
      });
    },
  }),
  rule('replace a definition', {
    params: fc.record({ ...at, body: targetings, note: notes, match: matches }),
    send: ({ body, note, match }, sending) => ({
      method: 'PUT',
      path: pathOf(sending.aim),
      body: { ...bodyOf(body), ...note },
      headers: ifMatch(match, 'definition', sending),
    }),
    apply: (world, { body, note, match }, aim) =>
      change(world, aim, {
        action: 'replaced',
        note,
        match,
        next: ({ killed }, place) =>
          body.share > 100 ? '@any' : valid({ ...targetingOf(body), killed: body.killed ?? killed }, place),
      }),
  }),
  rule('patch a definition', {
    params: fc.record({ ...at, patch: patches, note: notes, match: matches }),
    send: ({ patch, note, match }, sending) => ({
      method: 'PATCH',
      path: pathOf(sending.aim) + noteQuery(note),
      body: operationsOf(patch),
      headers: ifMatch(match, 'definition', sending),
    }),
    apply: (world, { patch, note, match }, aim) =>
      change(world, aim, { action: 'patched', note, match, next: (now, place) => valid(patched(now, patch), place) }),
  }),
  switching('kill'),
  switching('restore'),
  rule('delete a definition', {
    params: fc.record({ ...at, note: notes, match: matches }),
    send: ({ note, match }, sending) => ({
      method: 'DELETE',
      path: pathOf(sending.aim) + noteQuery(note),
      headers: ifMatch(match, 'definition', sending),
    }),
    apply: (world, { note, match }, aim) => {
      const place = findPlace(world, aim);
      if ('status' in place) return place;
      const { project, flag, definition } = place;
      if (isMissing(project, note)) return { status: 400 };
      if (!definition) return missing('splitmetadata', aim.f);
      if (!holds(match, aim.versions.definition, definition.revision)) return noLongerHolds;
      nextNumber(place, world.now);
      flag.definitions.splice(flag.definitions.indexOf(definition), 1);
      const before = recordedDefinition(definition, flag, project);
      return ok(true, { entry: { ...entry('deleted', place, note), before } });
    },
  }),
  rule('read a definition', {
    params: fc.record(at),
    send: (_, { aim }) => ({ method: 'GET', path: pathOf(aim) }),
    apply: (world, _, aim) => {
      const place = findPlace(world, aim);
      if ('status' in place) return place;
      const { project, flag, definition } = place;
      if (!definition) return missing('splitmetadata', aim.f);
      const { revision } = definition;
      return ok(shownDefinition(definition, flag, project), { etag: { mark: flag.mark, revision } });
    },
  }),
  rule('list definitions', {
    params: fc.record({ p: names.p, e: names.e }),
    send: (_, { aim }) => ({ method: 'GET', path: `/splits/ws/${aim.p.word}/environments/${aim.e.word}` }),
    apply: (world, _, aim) => {
      const project = hit(world.projects, aim.p);
      if (!project) return missing('project', aim.p);
      const environment = hit(project.environments, aim.e);
      if (!environment) return missing('environment', aim.e);
      const found = project.flags.flatMap((flag) =>
        flag.definitions
          .filter((definition) => definition.environment === environment.mark)
          .map((definition) => ({ definition, shown: shownDefinition(definition, flag, project) })),
      );
      found.sort((a, b) => a.definition.createdAt - b.definition.createdAt);
      return ok(
        page(
          found.map(({ shown }) => shown),
          20,
        ),
      );
    },
  }),
];
