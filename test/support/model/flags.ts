/** Flags: create, describe, tag, change the rollout status, delete. */
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { recordedDefinition } from './definitions.ts';
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
import { type Flag, type Project, statusNames, type World } from './world.ts';

const tags = fc.constantFrom('a', 'b');

const shown = (flag: Flag, project: Project) => ({
  id: flag.mark,
  name: flag.name,
  description: flag.description,
  trafficType: { id: flag.type.mark, name: flag.type.name },
  creationTime: flag.createdAt,
  rolloutStatusTimestamp: flag.statusAt,
  rolloutStatus: { id: `${project.mark}.status${flag.status}`, name: statusNames[flag.status] },
  tags: flag.tags.length === 0 ? null : flag.tags.map((name) => ({ name })),
});
const read = (flag: Flag, project: Project) => ({ ...shown(flag, project), owners: [] });
const entry = (action: string, flag: Flag, project: Project) => ({
  action: `flag.${action}`,
  object: { type: 'flag', id: flag.mark, name: flag.name },
  project: project.mark,
});
const etag = ({ mark, revision }: Flag) => ({ mark, revision });

/** The project and the flag, or why not. */
export function findFlag(world: World, aim: Aim): { project: Project; flag: Flag } | Answered {
  const project = hit(world.projects, aim.p);
  if (!project) return missing('project', aim.p);
  const flag = hit(project.flags, aim.f);
  return flag ? { project, flag } : missing('flag', aim.f);
}

interface Change {
  readonly action: string;
  readonly note: Note;
  readonly noteIsAsked: boolean;
  readonly change: (flag: Flag, now: number) => string | undefined;
}

function changed(
  world: World,
  aim: Aim,
  { action, note, noteIsAsked, change }: Change,
  stands: (flag: Flag) => boolean,
) {
  const found = findFlag(world, aim);
  if ('status' in found) return found;
  const { project, flag } = found;
  if (!stands(flag)) return noLongerHolds;
  if (noteIsAsked && isMissing(project, note)) return { status: 400 };
  const before = read(flag, project);
  const complaint = change(flag, world.now);
  if (complaint !== undefined) return refusal(400, complaint);
  const after = read(flag, project);
  if (!isDeepStrictEqual(after, before)) flag.revision = Math.max(world.now, flag.revision + 1);
  return { flag, project, entry: { ...entry(action, flag, project), before, after, note } };
}

const kinds = fc.oneof(
  fc.record({ kind: fc.constant('describe' as const), text: fc.constantFrom('', 'one', 'two') }),
  fc.record({ kind: fc.constant('tag' as const), text: tags }),
  fc.record({ kind: fc.constant('untag' as const), text: fc.constant('') }),
  fc.record({ kind: fc.constant('move' as const), text: fc.constantFrom('0', '3', '9', 'nowhere') }),
  fc.record({ kind: fc.constant('rename' as const), text: fc.constant('other') }),
);

function patch(flag: Flag, { kind, text }: { kind: string; text: string }, now: number): string | undefined {
  if (kind === 'describe') flag.description = text;
  else if (kind === 'untag') flag.tags = [];
  else if (kind === 'rename') return '0/path: /name cannot be changed by a patch';
  else if (kind === 'tag') {
    if (flag.tags.includes(text)) return 'tags must not repeat a name';
    flag.tags = [...flag.tags, text];
  } else if (text === 'nowhere')
    return 'rolloutStatus/id nowhere is not the id of a rollout status of the project; GET /rolloutStatuses?wsId=<project> lists them';
  else if (flag.status !== Number(text)) {
    flag.status = Number(text);
    flag.statusAt = now;
  }
  return undefined;
}

function operation({ kind, text }: { kind: string; text: string }, status: (place: string) => string) {
  if (kind === 'describe') return { op: 'replace', path: '/description', value: text };
  if (kind === 'tag') return { op: 'add', path: '/tags/-', value: { name: text } };
  if (kind === 'untag') return { op: 'replace', path: '/tags', value: null };
  if (kind === 'rename') return { op: 'replace', path: '/name', value: text };
  return { op: 'replace', path: '/rolloutStatus/id', value: text === 'nowhere' ? text : status(text) };
}

export const flagSteps = [
  rule('create a flag', {
    params: fc.record({ p: names.p, t: names.t, f: fc.oneof({ arbitrary: names.f, weight: 9 }, fc.constant('set')) }),
    send: ({ f }, { aim }) => ({
      method: 'POST',
      path: `/splits/ws/${aim.p.word}/trafficTypes/${aim.t.word}`,
      body: { name: f },
    }),
    apply: (world, { f }, aim, tag) => {
      const project = hit(world.projects, aim.p);
      if (!project) return missing('project', aim.p);
      const type = hit(project.trafficTypes, aim.t);
      if (!type) return missing('traffic type', aim.t);
      if (f === 'set') return refusal(400, 'name must not be set: that word is reserved');
      if (project.flags.some(({ name }) => name === f)) return refusal(409, `Feature flag ${f} already exists`);
      const { now } = world;
      const flag: Flag = {
        mark: `@${tag}`,
        name: f,
        type,
        createdAt: now,
        description: '',
        tags: [],
        definitions: [],
        status: 0,
        statusAt: now,
        revision: now,
      };
      project.flags.push(flag);
      return ok(shown(flag, project), {
        etag: etag(flag),
        entry: { ...entry('created', flag, project), after: read(flag, project) },
      });
    },
  }),
  rule('change a flag', {
    params: fc.record({ p: names.p, f: names.f, change: kinds, note: notes, match: matches }),
    send: ({ change, note, match }, sending) => {
      const { aim, idOf } = sending;
      return {
        method: 'PATCH',
        path: `/splits/ws/${aim.p.word}/${aim.f.word}${noteQuery(note)}`,
        body: [operation(change, (place) => (aim.p.mark ? idOf(`${aim.p.mark}.status${place}`) : place))],
        headers: ifMatch(match, 'flag', sending),
      };
    },
    apply: (world, { change, note, match }, aim) => {
      const made = changed(
        world,
        aim,
        { action: 'patched', note, noteIsAsked: true, change: (flag, now) => patch(flag, change, now) },
        (flag) => holds(match, aim.versions.flag, flag.revision),
      );
      return 'status' in made ? made : ok(shown(made.flag, made.project), { etag: etag(made.flag), entry: made.entry });
    },
  }),
  rule('describe a flag', {
    params: fc.record({ p: names.p, f: names.f, text: fc.constantFrom('three', 'x'.repeat(2001)) }),
    send: ({ text }, { aim }) => ({
      method: 'PUT',
      path: `/splits/ws/${aim.p.word}/${aim.f.word}/updateDescription`,
      body: text,
    }),
    apply: (world, { text }, aim) => {
      const change = (flag: Flag) => {
        if (text.length > 2000) return '@any';
        flag.description = text;
        return undefined;
      };
      const made = changed(world, aim, { action: 'described', note: {}, noteIsAsked: false, change }, () => true);
      return 'status' in made ? made : ok(shown(made.flag, made.project), { etag: etag(made.flag), entry: made.entry });
    },
  }),
  rule('tag a flag', {
    params: fc.record({ p: names.p, f: names.f, tag: tags }),
    send: ({ tag }, { aim }) => ({
      method: 'POST',
      path: `/tags/ws/${aim.p.word}/object/${aim.f.word}/objecttype/Split`,
      body: [tag, 'c'],
    }),
    apply: (world, { tag }, aim) => {
      const change = (flag: Flag) => {
        flag.tags = [tag, 'c'];
        return undefined;
      };
      const made = changed(world, aim, { action: 'tagged', note: {}, noteIsAsked: false, change }, () => true);
      if ('status' in made) return made;
      const objects = made.flag.tags.map((name) => ({ name, objectType: 'Split', objectName: made.flag.name }));
      return ok(page(objects, 20), { entry: made.entry });
    },
  }),
  rule('delete a flag', {
    params: fc.record({ p: names.p, f: names.f, note: notes }),
    send: ({ note }, { aim }) => ({
      method: 'DELETE',
      path: `/splits/ws/${aim.p.word}/${aim.f.word}${noteQuery(note)}`,
    }),
    apply: (world, { note }, aim) => {
      const found = findFlag(world, aim);
      if ('status' in found) return found;
      const { project, flag } = found;
      if (isMissing(project, note)) return { status: 400 };
      project.flags.splice(project.flags.indexOf(flag), 1);
      const earlierEntries: Entry[] = [];
      for (const environment of project.environments) {
        const definition = flag.definitions.find((one) => one.environment === environment.mark);
        if (!definition) continue;
        environment.changeNumber = Math.max(world.now, environment.changeNumber + 1);
        const gone = { action: 'definition.deleted', object: { type: 'definition', id: flag.mark, name: flag.name } };
        const place = { project: project.mark, environment: environment.mark };
        earlierEntries.push({ ...gone, ...place, before: recordedDefinition(definition, flag, project), note });
      }
      const before = read(flag, project);
      return ok(true, { earlierEntries, entry: { ...entry('deleted', flag, project), before, note } });
    },
  }),
  rule('read a flag', {
    params: fc.record({ p: names.p, f: names.f }),
    send: (_, { aim }) => ({ method: 'GET', path: `/splits/ws/${aim.p.word}/${aim.f.word}` }),
    apply: (world, _, aim) => {
      const found = findFlag(world, aim);
      return 'status' in found ? found : ok(read(found.flag, found.project), { etag: etag(found.flag) });
    },
  }),
  rule('list flags', {
    params: fc.record({ p: names.p, tag: fc.option(tags, { nil: undefined }) }),
    send: ({ tag }, { aim }) => ({
      method: 'GET',
      path: `/splits/ws/${aim.p.word}${tag === undefined ? '' : `?tag=${tag}`}`,
    }),
    apply: (world, { tag }, aim) => {
      const project = hit(world.projects, aim.p);
      if (!project) return missing('project', aim.p);
      const found = project.flags.filter(({ tags: its }) => tag === undefined || its.includes(tag));
      return ok(
        page(
          found.map((flag) => read(flag, project)),
          20,
        ),
      );
    },
  }),
];
