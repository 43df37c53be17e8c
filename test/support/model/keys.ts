/** API keys, their access, and project access. */
import fc from 'fast-check';
import { type Aim, byId, type Entry, hit, missing, names, ok, page, refusal, rule } from './step.ts';
import type { Key, Project, Viewer, World } from './world.ts';

const shownKey = ({ mark, name, type, project, environment, createdAt }: Key) => ({
  organization: { type: 'Organization', id: '@any' },
  environments: [{ type: 'Environment', id: environment ?? '<<GLOBAL>>' }],
  name,
  createdBy: '@any',
  createdAt,
  apiKeyType: type,
  type: 'api_key',
  id: mark,
  ...(project === undefined ? {} : { workspace: { type: 'workspace', id: project } }),
  roles: type === 'admin' ? ['API_ALL_GRANTED'] : [],
});
const ofKey = (action: string, { mark, name, project }: Key) => ({
  action: `api_key.${action}`,
  object: { type: 'api_key', id: mark, name },
  ...(project === undefined ? {} : { project }),
});

const scopes = fc.constantFrom('account', 'project', 'environment');

function nameOf(world: World, { type, mark }: Viewer): string | undefined {
  return (type === 'user' ? world.users : world.groups).find((one) => one.mark === mark)?.name;
}
const shownRestriction = (world: World, project: Project, viewers: readonly Viewer[], view: boolean) => ({
  id: project.mark,
  type: 'restriction',
  operations: { view },
  resource: { id: project.mark, name: project.name, type: 'workspace' },
  resourcePermissions: {
    view: viewers.map((viewer) => ({ id: viewer.mark, name: nameOf(world, viewer), type: viewer.type })),
  },
});

/** Takes somebody who is deleted off all lists. Each project that listed them has an entry. */
export function unlist(world: World, mark: string): Entry[] {
  return world.projects
    .filter(({ viewers }) => viewers.some((viewer) => viewer.mark === mark))
    .map((project) => {
      const before = shownRestriction(world, project, project.viewers, project.restricted);
      project.viewers = project.viewers.filter((viewer) => viewer.mark !== mark);
      const after = shownRestriction(world, project, project.viewers, project.restricted);
      const object = { type: 'restriction', id: project.mark, name: project.name };
      return { action: 'restriction.replaced', object, project: project.mark, before, after };
    });
}

/** Those whom the step lists; undefined for one who is not there. */
const viewersIn = (world: World, listed: readonly string[], aim: Aim): (Viewer | undefined)[] =>
  listed.map((one) => {
    if (one === 'administrators') return { type: 'group', mark: '@administrators' };
    const found = one === 'user' ? byId(world.users, aim.u) : byId(world.groups, aim.g);
    return found && { type: one === 'user' ? 'user' : 'group', mark: found.mark };
  });

export const keySteps = [
  rule('create a key', {
    params: fc.record({
      k: names.k,
      p: names.p,
      e: names.e,
      scope: scopes,
      type: fc.constantFrom('admin', 'admin', 'server_side'),
    }),
    send: ({ k, scope, type }, { aim }) => ({
      method: 'POST',
      path: '/apiKeys',
      body: {
        name: k,
        apiKeyType: type,
        ...(scope === 'account' ? {} : { workspace: { id: aim.p.word } }),
        ...(scope === 'environment' ? { environments: [{ id: aim.e.word }] } : {}),
      },
    }),
    apply: (world, { k, scope, type }, aim, tag) => {
      const project = scope === 'account' ? undefined : hit(world.projects, aim.p);
      if (scope !== 'account' && !project) return missing('project', aim.p);
      const environment = scope === 'environment' && project ? hit(project.environments, aim.e) : undefined;
      if (scope === 'environment' && !environment) return missing('environment', aim.e);
      if (type !== 'admin' && scope !== 'environment') {
        return refusal(400, `a ${type} key needs a workspace and exactly one environment`);
      }
      const key: Key = {
        mark: `@${tag}`,
        name: k,
        type,
        createdAt: world.now,
        project: project?.mark,
        environment: environment?.mark,
      };
      world.keys.push(key);
      return ok({ ...shownKey(key), key: `${key.mark}.text` }, { entry: { ...ofKey('created', key), after: '@any' } });
    },
  }),
  rule('revoke a key', {
    params: fc.record({ k: names.k }),
    send: (_, { aim }) => ({ method: 'DELETE', path: `/apiKeys/${aim.k.word}` }),
    apply: (world, _, aim) => {
      const key = byId(world.keys, aim.k);
      if (!key) return missing('API key', aim.k);
      world.keys.splice(world.keys.indexOf(key), 1);
      return ok(true, { entry: { ...ofKey('revoked', key), before: '@any' } });
    },
  }),
  rule('revoke the keys of an environment', {
    params: fc.record({ p: names.p, e: names.e }),
    send: (_, { aim, world, idOf }) => {
      const key = world.keys.find(({ environment }) => environment !== undefined && environment === aim.e.mark);
      return { method: 'DELETE', path: `/apiKeys/${key ? idOf(key.mark) : 'none'}` };
    },
    apply: (world, _, aim) => {
      const key = world.keys.find(({ environment }) => environment !== undefined && environment === aim.e.mark);
      if (!key) return refusal(404, 'Could not find API key none');
      world.keys.splice(world.keys.indexOf(key), 1);
      return ok(true, { entry: { ...ofKey('revoked', key), before: '@any' } });
    },
  }),
  rule('list keys', {
    params: fc.record({}),
    send: () => ({ method: 'GET', path: '/apiKeys' }),
    apply: (world) =>
      ok(
        page(
          world.keys.map((key) => ({ ...shownKey(key), lastFour: '@any', lastUsedAt: '@optional' })),
          50,
        ),
      ),
  }),
  rule('list projects with a key', {
    params: fc.record({ k: names.k }),
    send: (_, { aim }) => ({ method: 'GET', path: '/workspaces', as: aim.k }),
    apply: (world, _, aim) => {
      const key = byId(world.keys, aim.k);
      if (key?.type !== 'admin') return refusal(401, 'Invalid Admin API Key');
      const reached = world.projects.filter(({ mark }) => key.project === undefined || key.project === mark);
      const shown = reached.map(({ mark, name, requiresNote }) => ({
        name,
        type: 'workspace',
        id: mark,
        requiresTitleAndComments: requiresNote,
      }));
      return ok(page(shown, 50));
    },
  }),
  rule('read who may see a project', {
    params: fc.record({ p: names.p }),
    send: (_, { aim }) => ({
      method: 'GET',
      path: `/restrictions?resource_type=workspace&resource_id=${aim.p.word}`,
    }),
    apply: (world, _, aim) => {
      const project = hit(world.projects, aim.p);
      if (!project) return missing('project', aim.p);
      return ok(page([shownRestriction(world, project, project.viewers, project.restricted)], 20));
    },
  }),
  rule('set who may see a project', {
    params: fc.record({
      p: names.p,
      u: names.u,
      g: names.g,
      view: fc.boolean(),
      listed: fc.subarray(['administrators', 'administrators', 'user', 'group']),
    }),
    send: ({ view, listed }, { aim, idOf }) => ({
      method: 'PUT',
      path: '/restrictions',
      body: {
        resource: { id: aim.p.word, type: 'workspace' },
        operations: { view },
        resourcePermissions: {
          view: listed.map((one) => ({
            type: one === 'user' ? 'user' : 'group',
            id: one === 'administrators' ? idOf('@administrators') : one === 'user' ? aim.u.word : aim.g.word,
          })),
        },
      },
    }),
    apply: (world, { view, listed }, aim) => {
      const project = hit(world.projects, aim.p);
      if (!project) return missing('project', aim.p);
      const found = viewersIn(world, listed, aim);
      if (view && !found.some((viewer) => viewer?.mark === '@administrators')) {
        return refusal(400, 'resourcePermissions/view must list the group Administrators');
      }
      const absent = listed.find((_, index) => found[index] === undefined);
      if (absent !== undefined) {
        const word = absent === 'user' ? aim.u.word : aim.g.word;
        return refusal(400, `resourcePermissions/view: there is no ${absent} with the id ${word}`);
      }
      const before = shownRestriction(world, project, project.viewers, project.restricted);
      const viewers = found.flatMap((viewer) => viewer ?? []);
      project.viewers = viewers.filter(({ mark }, index) => viewers.findIndex((one) => one.mark === mark) === index);
      project.restricted = view;
      const after = shownRestriction(world, project, project.viewers, view);
      const object = { type: 'restriction', id: project.mark, name: project.name };
      return ok(after, { entry: { action: 'restriction.replaced', object, project: project.mark, before, after } });
    },
  }),
];
