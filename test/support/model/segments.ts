/** Segments: create, tag, activate, change keys and rules, deactivate, delete. Flag sets and attributes. */
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import {
  type Aim,
  type Aimed,
  type Answered,
  type Entry,
  hit,
  isMissing,
  missing,
  type Note,
  names,
  noteQuery,
  notes,
  ok,
  page,
  refusal,
  rule,
} from './step.ts';
import type { Activation, Attribute, Environment, FlagSet, Project, Segment, TrafficType, World } from './world.ts';

const segmentNames = fc.constantFrom('s1', 's1', 's1', 's2', 'r1', 'r1', 'r2');
const editor = { type: 'api_key', id: '@key', name: 'First admin key' };
const typeOf = ({ type }: Segment) => ({ id: type.mark, name: type.name });

const shown = (segment: Segment) => ({
  name: segment.name,
  description: '',
  trafficType: typeOf(segment),
  creationTime: segment.createdAt,
  tags: segment.tags.length === 0 ? null : segment.tags.map((name) => ({ name })),
});
const shownRuleBased = (segment: Segment, project: Project) => ({
  id: segment.mark,
  orgId: '@any',
  workspaceIds: [project.mark],
  status: 'ACTIVE',
  creator: editor,
  ...shown(segment),
  trafficTypeId: segment.type.mark,
  trafficTypeURN: null,
});
const recorded = (segment: Segment) => ({ kind: segment.kind, ...shown(segment) });

const inSegment = (string: string) => ({ condition: { combiner: 'AND', matchers: [{ type: 'IN_SEGMENT', string }] } });
const rulesOf = ({ needs, excluded }: Pick<Activation, 'needs' | 'excluded'>) => ({
  rules: needs === undefined ? [] : [inSegment(needs)],
  excludedKeys: excluded,
  excludedSegments: [],
});

interface Place {
  readonly project: Project;
  readonly environment: Environment;
  readonly segment: Segment;
  readonly active: Activation | undefined;
}

/** A segment where it is active, as answered; rule-based ones with their rules. */
const shownPlace = ({ segment, environment }: Place, active: Activation) => ({
  name: segment.name,
  environment: { id: environment.mark, name: environment.name },
  trafficType: typeOf(segment),
  ...(segment.kind === 'standard'
    ? { creationTime: segment.createdAt }
    : { ...rulesOf(active), creationTime: active.createdAt, lastUpdateTime: active.updatedAt }),
});
const recordedPlace = (place: Place, active: Activation) =>
  place.segment.kind === 'standard'
    ? { name: place.segment.name, keyCount: active.keys.length }
    : shownPlace(place, active);
const etagOf = ({ segment }: Place, { changeNumber: revision }: Activation) =>
  segment.kind === 'standard' ? {} : { etag: { mark: segment.mark, revision } };

const entry = (
  action: string,
  { project, segment }: Pick<Place, 'project' | 'segment'>,
  environment?: Environment,
) => ({
  action: `segment.${action}`,
  object: { type: 'segment', id: segment.mark, name: segment.name },
  project: project.mark,
  ...(environment ? { environment: environment.mark } : {}),
});

const segmentMissing = (name: string) => refusal(404, `Could not find segment ${name}`);

function findSegment(world: World, aim: Aim, name: string, kind?: Segment['kind']) {
  const project = hit(world.projects, aim.p);
  if (!project) return missing('project', aim.p);
  const segment = project.segments.find((one) => one.name === name && (kind === undefined || one.kind === kind));
  return segment ? { project, segment } : segmentMissing(name);
}

const activationOf = (segment: Segment, { mark }: Environment) =>
  segment.active.find(({ environment }) => environment === mark);

/** Paths without a project name an environment by its id. */
const idOf = ({ mark, word }: Aimed) => (mark === undefined ? 'nowhere' : word);

/** For those paths. */
function findPlace(world: World, { e }: Aim, name: string, kind: Segment['kind']): Place | Answered {
  const project = world.projects.find(({ environments }) => environments.some(({ mark }) => mark === e.mark));
  const environment = project?.environments.find(({ mark }) => mark === e.mark);
  if (!project || !environment) return missing('environment', { ...e, word: idOf(e) });
  const segment = project.segments.find((one) => one.name === name && one.kind === kind);
  return segment ? { project, environment, segment, active: activationOf(segment, environment) } : segmentMissing(name);
}

/** The same for paths with a project. */
function findPlaceIn(world: World, aim: Aim, name: string): Place | Answered {
  const project = hit(world.projects, aim.p);
  if (!project) return missing('project', aim.p);
  const environment = hit(project.environments, aim.e);
  if (!environment) return missing('environment', aim.e);
  return findPlace(world, { ...aim, e: { ...aim.e, mark: environment.mark } }, name, 'rule_based');
}

const notActive = ({ segment, environment }: Place) =>
  refusal(404, `Could not find segment ${segment.name} in environment ${environment.name}`);

function nextNumber({ environment }: Place, now: number): number {
  environment.changeNumber = Math.max(now, environment.changeNumber + 1);
  return environment.changeNumber;
}

/** Which rule-based segments name it, there or anywhere in the project. */
function usersOf({ project, segment }: Pick<Place, 'project' | 'segment'>, environment?: Environment): string[] {
  const isNaming = ({ active }: Segment) =>
    active.some((one) => one.needs === segment.name && (!environment || one.environment === environment.mark));
  return project.segments
    .filter(isNaming)
    .map(({ name }) => `segment ${name}`)
    .sort();
}
const inUse = ({ name }: Segment, users: readonly string[]) =>
  refusal(409, `Segment ${name} is still used by ${users.join(', ')}`);

/** Returns the entry. */
function deactivate(place: Place, active: Activation, now: number) {
  nextNumber(place, now);
  place.segment.active.splice(place.segment.active.indexOf(active), 1);
  return { ...entry('deactivated', place, place.environment), before: recordedPlace(place, active) };
}

const kinds = {
  standard: { path: 'segments', word: 'a segment' },
  rule_based: { path: 'rule-based-segments', word: 'a rule-based segment' },
} as const;

/** What both kinds have. */
const stepsOf = (kind: Segment['kind']) => {
  const { path, word } = kinds[kind];
  const inEnvironment = { p: names.p, e: names.e, name: segmentNames };
  return [
    rule(`create ${word}`, {
      params: fc.record({ p: names.p, t: names.t, name: segmentNames }),
      send: ({ name }, { aim }) => ({
        method: 'POST',
        path: `/${path}/ws/${aim.p.word}/trafficTypes/${aim.t.word}`,
        body: { name },
      }),
      apply: (world, { name }, aim, tag) => {
        const project = hit(world.projects, aim.p);
        if (!project) return missing('project', aim.p);
        const type = hit(project.trafficTypes, aim.t);
        if (!type) return missing('traffic type', aim.t);
        if (project.segments.some((one) => one.name === name)) return refusal(409, `Segment ${name} already exists`);
        const segment: Segment = { mark: `@${tag}`, kind, name, type, createdAt: world.now, tags: [], active: [] };
        project.segments.push(segment);
        return ok(kind === 'standard' ? shown(segment) : shownRuleBased(segment, project), {
          entry: { ...entry('created', { project, segment }), after: recorded(segment) },
        });
      },
    }),
    rule(`activate ${word}`, {
      params: fc.record(inEnvironment),
      send: ({ name }, { aim }) => ({ method: 'POST', path: `/${path}/${idOf(aim.e)}/${name}` }),
      apply: (world, { name }, aim) => {
        const place = findPlace(world, aim, name, kind);
        if ('status' in place) return place;
        const { environment, segment } = place;
        if (place.active) return refusal(409, `Segment ${name} is already active in ${environment.name}`);
        const active: Activation = {
          environment: environment.mark,
          changeNumber: nextNumber(place, world.now),
          createdAt: world.now,
          updatedAt: world.now,
          keys: [],
          needs: undefined,
          excluded: [],
        };
        segment.active.push(active);
        return ok(shownPlace(place, active), {
          entry: { ...entry('activated', place, environment), after: recordedPlace(place, active) },
        });
      },
    }),
    rule(`deactivate ${word}`, {
      params: fc.record(inEnvironment),
      send: ({ name }, { aim }) => ({ method: 'DELETE', path: `/${path}/${idOf(aim.e)}/${name}` }),
      apply: (world, { name }, aim) => {
        const place = findPlace(world, aim, name, kind);
        if ('status' in place) return place;
        const { environment, segment, active } = place;
        if (!active) return notActive(place);
        const users = usersOf(place, environment);
        if (users.length > 0) return inUse(segment, users);
        const count = active.keys.length;
        if (count > 0) {
          return refusal(400, `Segment ${name} still has ${count} keys in ${environment.name}; remove them first`);
        }
        return ok(true, { entry: deactivate(place, active, world.now) });
      },
    }),
    rule(`delete ${word}`, {
      params: fc.record({ p: names.p, name: segmentNames }),
      send: ({ name }, { aim }) => ({ method: 'DELETE', path: `/${path}/ws/${aim.p.word}/${name}` }),
      apply: (world, { name }, aim) => {
        const found = findSegment(world, aim, name, kind);
        if ('status' in found) return found;
        const { project, segment } = found;
        const users = usersOf(found);
        if (users.length > 0) return inUse(segment, users);
        const earlierEntries = project.environments.flatMap((environment) => {
          const active = activationOf(segment, environment);
          return active ? [deactivate({ ...found, environment, active }, active, world.now)] : [];
        });
        project.segments.splice(project.segments.indexOf(segment), 1);
        return ok(true, { earlierEntries, entry: { ...entry('deleted', found), before: recorded(segment) } });
      },
    }),
    rule(`tag ${word}`, {
      params: fc.record({ p: names.p, name: segmentNames, tag: fc.constantFrom('a', 'b'), note: notes }),
      send: ({ name, tag, note }, { aim }) => ({
        method: 'POST',
        body: [tag, 'c'],
        path: `/tags/ws/${aim.p.word}/object/${name}/objecttype/${objectTypes[kind]}${noteQuery(note)}`,
      }),
      apply: (world, { name, tag, note }, aim) => {
        const found = findSegment(world, aim, name, kind);
        if ('status' in found) return found;
        const { segment } = found;
        const before = recorded(segment);
        segment.tags = [tag, 'c'];
        const objects = segment.tags.map((one) => ({ name: one, objectType: objectTypes[kind], objectName: name }));
        return ok(page(objects, 20), { entry: { ...entry('tagged', found), before, after: recorded(segment), note } });
      },
    }),
  ];
};
const objectTypes = { standard: 'Segment', rule_based: 'RuleBasedSegment' } as const;

const keyLists: fc.Arbitrary<string[]> = fc.uniqueArray(fc.constantFrom('ana', 'bo', 'cy', 'di'), { minLength: 1 });
const keyParams = fc.record({ p: names.p, e: names.e, name: segmentNames, keys: keyLists, note: notes });

/** The digest is over the sorted keys of the call. */
const excerptOf = (keys: readonly string[]) => {
  const sorted = [...keys].sort();
  return { digest: createHash('sha256').update(sorted.join('\n')).digest('hex'), keys: sorted };
};

const uploaded = ({ segment, environment }: Place, { createdAt, updatedAt }: Activation) => ({
  id: segment.mark,
  metadataId: segment.mark,
  orgId: '@any',
  name: segment.name,
  description: '',
  type: 'Segment',
  environment: environment.mark,
  trafficTypeId: segment.type.mark,
  creator: editor,
  status: 'ACTIVE',
  environmentURN: { type: 'Environment', id: environment.mark, name: environment.name },
  trafficTypeURN: { type: 'TRAFFIC_TYPE', ...typeOf(segment) },
  creationTime: createdAt,
  lastUpdateTime: updatedAt,
  iAmInThisSegment: null,
  keys: null,
  openChangeRequestId: null,
  approvers: null,
});

interface KeyChange {
  readonly action: string;
  readonly keys: readonly string[];
  readonly note: Note;
  /** Which keys are there afterwards. */
  readonly wanted: (now: readonly string[]) => readonly string[];
}

/** The place after the change, how many keys were removed, and the entry if something changed. */
function changeKeys(world: World, place: Place, { action, keys, note, wanted }: KeyChange) {
  const { environment, segment, active } = place;
  if (isMissing(place.project, note)) return { status: 400 };
  if (!active) return notActive(place);
  const now = active.keys.map(({ key }) => key);
  const after = wanted(now);
  const kept = active.keys.filter(({ key }) => after.includes(key));
  const removed = active.keys.length - kept.length;
  const added = after.filter((key) => !now.includes(key));
  if (removed + added.length === 0) return { active, removed };
  const before = recordedPlace(place, active);
  const at = nextNumber(place, world.now);
  active.keys = [...kept, ...added.map((key) => ({ key, since: at }))];
  Object.assign(active, { changeNumber: at, updatedAt: world.now });
  const counts = { keyCount: active.keys.length, added: added.length, removed };
  environment.keyChanges.unshift({ segment: segment.name, at, ...counts });
  const made = { ...entry(action, place, environment), before, note };
  return {
    active,
    removed,
    entry: { ...made, after: { name: segment.name, ...counts, source: 'api', ...excerptOf(keys) } },
  };
}

const uploading = (word: string, query: string, wanted: (keys: readonly string[]) => KeyChange['wanted']) =>
  rule(`${word} keys`, {
    params: keyParams,
    send: ({ name, keys, note }, { aim }) => ({
      method: 'PUT',
      path: `/segments/${idOf(aim.e)}/${name}/uploadKeys${query}`,
      body: { keys, ...note },
    }),
    apply: (world, { name, keys, note }, aim) => {
      const place = findPlace(world, aim, name, 'standard');
      if ('status' in place) return place;
      const action = `keys_${word === 'add' ? 'added' : 'replaced'}`;
      const made = changeKeys(world, place, { action, keys, note, wanted: wanted(keys) });
      return 'status' in made ? made : ok(uploaded(place, made.active), made.entry ? { entry: made.entry } : {});
    },
  });

const keySteps = [
  uploading('add', '', (keys) => (now) => [...new Set([...now, ...keys])]),
  uploading('replace', '?replace=true', (keys) => () => keys),
  rule('remove keys', {
    params: keyParams,
    send: ({ name, keys, note }, { aim }) => ({
      method: 'PUT',
      path: `/segments/${idOf(aim.e)}/${name}/removeKeys`,
      body: { keys, ...note },
    }),
    apply: (world, { name, keys, note }, aim) => {
      const place = findPlace(world, aim, name, 'standard');
      if ('status' in place) return place;
      const wanted = (now: readonly string[]) => now.filter((key) => !keys.includes(key));
      const made = changeKeys(world, place, { action: 'keys_removed', keys, note, wanted });
      if ('status' in made) return made;
      const reply = { code: 200, message: `Deleted ${made.removed} keys`, details: null, transactionId: null };
      return ok(reply, made.entry ? { entry: made.entry } : {});
    },
  }),
  rule('list keys', {
    params: fc.record({ p: names.p, e: names.e, name: segmentNames }),
    send: ({ name }, { aim }) => ({ method: 'GET', path: `/segments/${idOf(aim.e)}/${name}/keys` }),
    apply: (world, { name }, aim) => {
      const place = findPlace(world, aim, name, 'standard');
      if ('status' in place) return place;
      if (!place.active) return notActive(place);
      const keys = place.active.keys.map(({ key }) => key).sort();
      return ok({
        keys: keys.map((key) => ({ key })),
        openChangeRequestId: null,
        offset: 0,
        limit: 100,
        count: keys.length,
        totalCount: keys.length,
      });
    },
  }),
  rule('list key changes', {
    params: fc.record({ p: names.p, e: names.e, name: segmentNames }),
    send: ({ name }, { aim }) => ({ method: 'GET', path: `/segments/${idOf(aim.e)}/${name}/keyChanges` }),
    apply: (world, { name }, aim) => {
      const place = findPlace(world, aim, name, 'standard');
      if ('status' in place) return place;
      if (!place.active) return notActive(place);
      const found = place.environment.keyChanges.filter(({ segment }) => segment === name);
      return ok(
        page(
          found.map(({ segment: _, ...change }) => ({ ...change, editor, source: 'api' })),
          50,
        ),
      );
    },
  }),
  rule('read memberships', {
    params: fc.record({ p: names.p, e: names.e, key: fc.constantFrom('ana', 'bo') }),
    send: ({ key }, { aim }) => ({
      method: 'GET',
      path: `/segments/ws/${aim.p.word}/environments/${aim.e.word}/memberships?key=${key}`,
    }),
    apply: (world, { key }, aim) => {
      const project = hit(world.projects, aim.p);
      if (!project) return missing('project', aim.p);
      const environment = hit(project.environments, aim.e);
      if (!environment) return missing('environment', aim.e);
      const segments = project.segments.flatMap((segment) => {
        const found = activationOf(segment, environment)?.keys.find((one) => one.key === key);
        return found ? [{ name: segment.name, kind: 'standard', since: found.since }] : [];
      });
      return ok({ key, segments: segments.sort((one, other) => (one.name < other.name ? -1 : 1)) });
    },
  }),
  rule('list segments', {
    params: fc.record({ p: names.p }),
    send: (_, { aim }) => ({ method: 'GET', path: `/segments/ws/${aim.p.word}` }),
    apply: (world, _, aim) => {
      const project = hit(world.projects, aim.p);
      if (!project) return missing('project', aim.p);
      return ok(page(project.segments.filter(({ kind }) => kind === 'standard').map(shown), 20));
    },
  }),
];

/** Whether naming the segment would lead back. */
function closesCycle({ project, environment, segment }: Place, needs: string | undefined): boolean {
  const seen = new Set<string>();
  for (let next = needs; next !== undefined && !seen.has(next); ) {
    if (next === segment.name) return true;
    seen.add(next);
    const named = project.segments.find(({ name }) => name === next);
    next = named && activationOf(named, environment)?.needs;
  }
  return false;
}

const definitionPath = ({ p, e }: Aim, name: string) =>
  `/rule-based-segments/ws/${p.word}/${name}/environments/${e.word}`;

const ruleSteps = [
  rule('define a rule-based segment', {
    params: fc.record({
      p: names.p,
      e: names.e,
      name: fc.constantFrom('r1', 'r2'),
      note: notes,
      needs: fc.option(segmentNames, { nil: undefined }),
      excluded: fc.uniqueArray(fc.constantFrom('ana', 'bo')),
    }),
    send: ({ name, note, needs, excluded }, { aim }) => ({
      method: 'PUT',
      path: definitionPath(aim, name),
      body: { ...rulesOf({ needs, excluded }), ...note },
    }),
    apply: (world, { name, note, needs, excluded }, aim) => {
      const place = findPlaceIn(world, aim, name);
      if ('status' in place) return place;
      if (isMissing(place.project, note)) return { status: 400 };
      const { active, environment } = place;
      if (!active) return notActive(place);
      if (closesCycle(place, needs)) return refusal(400, '@any');
      const before = recordedPlace(place, active);
      if (JSON.stringify(rulesOf(active)) === JSON.stringify(rulesOf({ needs, excluded }))) {
        return ok(shownPlace(place, active), etagOf(place, active));
      }
      const updatedAt = Math.max(world.now, active.updatedAt + 1);
      Object.assign(active, { needs, excluded, updatedAt, changeNumber: nextNumber(place, world.now) });
      return ok(shownPlace(place, active), {
        ...etagOf(place, active),
        entry: { ...entry('changed', place, environment), before, after: recordedPlace(place, active), note },
      });
    },
  }),
  rule('read a rule-based definition', {
    params: fc.record({ p: names.p, e: names.e, name: fc.constantFrom('r1', 'r2') }),
    send: ({ name }, { aim }) => ({ method: 'GET', path: definitionPath(aim, name) }),
    apply: (world, { name }, aim) => {
      const place = findPlaceIn(world, aim, name);
      if ('status' in place) return place;
      return place.active ? ok(shownPlace(place, place.active), etagOf(place, place.active)) : notActive(place);
    },
  }),
];

export const segmentSteps = [...stepsOf('standard'), ...keySteps];
export const ruleBasedSegmentSteps = [...stepsOf('rule_based'), ...ruleSteps];

const shownSet = ({ mark, name, createdAt }: FlagSet, project: Project) => ({
  id: mark,
  name,
  description: '',
  type: 'flag_set',
  workspace: { id: project.mark, type: 'workspace' },
  createdAt: new Date(createdAt).toISOString().replace('Z', '000Z'),
});
const recordedSet = ({ mark: id, name, createdAt }: FlagSet, { mark: projectId }: Project) => ({
  id,
  projectId,
  name,
  description: '',
  createdAt,
});
const ofSet = (action: string, { mark: id, name }: FlagSet, project: Project) => ({
  action: `flag_set.${action}`,
  object: { type: 'flag_set', id, name },
  project: project.mark,
});
const flagSetsPath = '/internal/api/v3/flag-sets';

export const flagSetSteps = [
  rule('create a flag set', {
    params: fc.record({ p: names.p, name: fc.constantFrom('set_1', 'set_2') }),
    send: ({ name }, { aim }) => ({
      method: 'POST',
      path: flagSetsPath,
      body: { name, workspace: { id: aim.p.word } },
    }),
    apply: (world, { name }, aim, tag) => {
      const project = hit(world.projects, aim.p);
      if (!project) return missing('project', aim.p);
      if (project.flagSets.some((one) => one.name === name)) return refusal(409, `Flag set ${name} already exists`);
      const flagSet: FlagSet = { mark: `@${tag}`, name, createdAt: world.now };
      project.flagSets.push(flagSet);
      return ok(shownSet(flagSet, project), {
        entry: { ...ofSet('created', flagSet, project), after: recordedSet(flagSet, project) },
      });
    },
  }),
  rule('delete a flag set', {
    params: fc.record({ p: names.p, name: fc.constantFrom('set_1', 'set_2') }),
    send: ({ name }, { aim, world, idOf: known }) => {
      const flagSet = hit(world.projects, aim.p)?.flagSets.find((one) => one.name === name);
      return { method: 'DELETE', path: `${flagSetsPath}/${flagSet ? known(flagSet.mark) : 'none'}` };
    },
    apply: (world, { name }, aim) => {
      const project = hit(world.projects, aim.p);
      const flagSet = project?.flagSets.find((one) => one.name === name);
      if (!project || !flagSet) return refusal(404, '@any');
      project.flagSets.splice(project.flagSets.indexOf(flagSet), 1);
      return ok(true, { entry: { ...ofSet('deleted', flagSet, project), before: recordedSet(flagSet, project) } });
    },
  }),
];

const recordedAttribute = ({ id, description }: Attribute, type: TrafficType) => ({
  id,
  trafficTypeId: type.mark,
  displayName: id,
  description,
  dataType: null,
  isSearchable: '@any',
  suggestedValues: [],
});
/** The id of the object has the id of the traffic type in it. */
const ofAttribute = (action: string, { id }: Attribute, project: Project) => ({
  action: `attribute.${action}`,
  object: { type: 'attribute', id: '@any', name: id },
  project: project.mark,
});

/** What is recorded of the attributes of a traffic type that is deleted, in order of their ids. */
export const deletedAttributes = (type: TrafficType, project: Project): Entry[] =>
  type.attributes
    .toSorted((one, other) => (one.id < other.id ? -1 : 1))
    .map((attribute) => ({
      ...ofAttribute('deleted', attribute, project),
      before: recordedAttribute(attribute, type),
    }));

function findType(world: World, aim: Aim): { project: Project; type: TrafficType } | Answered {
  const project = hit(world.projects, aim.p);
  if (!project) return missing('project', aim.p);
  const type = hit(project.trafficTypes, aim.t);
  return type ? { project, type } : missing('traffic type', aim.t);
}

const attributeIds = fc.constantFrom('age', 'plan');

export const attributeSteps = [
  rule('save an attribute', {
    params: fc.record({ p: names.p, t: names.t, id: attributeIds, description: fc.constantFrom('', 'one') }),
    send: ({ id, description }, { aim }) => ({
      method: 'POST',
      path: `/schema/ws/${aim.p.word}/trafficTypes/${aim.t.word}`,
      body: { id, description },
    }),
    apply: (world, { id, description }, aim) => {
      const found = findType(world, aim);
      if ('status' in found) return found;
      const { project, type } = found;
      const old = type.attributes.find((one) => one.id === id);
      const before = old && recordedAttribute(old, type);
      const attribute = old ?? { id, description };
      attribute.description = description;
      if (!old) type.attributes.push(attribute);
      const after = recordedAttribute(attribute, type);
      return ok(
        { ...after, organizationId: '@any' },
        {
          entry: {
            ...ofAttribute(old ? 'replaced' : 'created', attribute, project),
            ...(before ? { before } : {}),
            after,
          },
        },
      );
    },
  }),
  rule('delete an attribute', {
    params: fc.record({ p: names.p, t: names.t, id: attributeIds }),
    send: ({ id }, { aim }) => ({
      method: 'DELETE',
      path: `/schema/ws/${aim.p.word}/trafficTypes/${aim.t.word}/${id}`,
    }),
    apply: (world, { id }, aim) => {
      const found = findType(world, aim);
      if ('status' in found) return found;
      const { project, type } = found;
      const attribute = type.attributes.find((one) => one.id === id);
      if (!attribute) return refusal(404, `Could not find attribute ${id}`);
      type.attributes.splice(type.attributes.indexOf(attribute), 1);
      const before = recordedAttribute(attribute, type);
      return ok(true, { entry: { ...ofAttribute('deleted', attribute, project), before } });
    },
  }),
];
