/** Projects, environments, traffic types and rollout statuses. */
import fc from 'fast-check';
import { deletedAttributes } from './segments.ts';
import { hit, missing, names, ok, page, refusal, rule } from './step.ts';
import { type Environment, type Project, statusNames, type TrafficType, type World } from './world.ts';

const shownProject = ({ mark, name, requiresNote }: Project) => ({
  name,
  type: 'workspace',
  id: mark,
  requiresTitleAndComments: requiresNote,
});
const shownType = ({ mark, name }: TrafficType, project: Project) => ({
  name,
  type: 'trafficType',
  id: mark,
  displayAttributeId: '',
  workspace: { id: project.mark, name: project.name, type: 'workspace' },
});
const token = (mark: string, kind: 'browser' | 'sdk') => ({
  name: '@any',
  type: 'api_key',
  id: mark,
  apiKeyType: kind,
});
const recordedEnvironment = ({ mark, name, production, createdAt }: Environment, project: Project) => ({
  id: mark,
  projectId: project.mark,
  name,
  production,
  createdAt,
});
const ofProject = (action: string, project: Project) => ({
  action: `workspace.${action}`,
  object: { type: 'workspace', id: project.mark, name: project.name },
  project: project.mark,
});
const ofEnvironment = (action: string, environment: Environment, project: Project) => ({
  action: `environment.${action}`,
  object: { type: 'environment', id: environment.mark, name: environment.name },
  project: project.mark,
  environment: environment.mark,
});
const nameTaken = (things: readonly { mark: string; name: string }[], name: string, but?: { mark: string }) =>
  things.some((thing) => thing.name === name && thing.mark !== but?.mark);

/** Renaming the project in which most things are would leave little to do. */
const seldom = <Value>(values: fc.Arbitrary<Value>) =>
  fc.oneof({ arbitrary: fc.constant(undefined), weight: 7 }, { arbitrary: values, weight: 1 });
const anyProject = fc.constantFrom('p1', 'p2', 'Default');

const settings = fc.record({
  to: seldom(fc.constantFrom('p1', 'p2', 'p3', ' ')),
  requires: fc.option(fc.boolean(), { nil: undefined }),
});

/** The keys of SDKs that an environment has. */
const tokensOf = (world: World, environment: Environment) =>
  world.keys
    .filter((key) => key.environment === environment.mark && key.type !== 'admin')
    .map((key) => token(key.mark, key.type === 'client_side' ? 'browser' : 'sdk'));

const details = (environment: Environment, project: Project, apiTokens: unknown) => ({
  id: environment.mark,
  type: 'environment',
  name: environment.name,
  production: environment.production,
  environmentType: environment.production ? 'production' : 'pre_production',
  changePermissions: {},
  dataExportPermissions: {},
  orgId: '@any',
  creationTime: environment.createdAt,
  status: 'ACTIVE',
  workspaceIds: [project.mark],
  permissioningEnabled: false,
  apiTokens,
});

export const projectSteps = [
  rule('create a project', {
    params: fc.record({ p: anyProject, requires: fc.boolean() }),
    send: ({ p, requires }) => ({
      method: 'POST',
      path: '/workspaces',
      body: { name: p, requiresTitleAndComments: requires },
    }),
    apply: (world, { p, requires }, _, tag) => {
      if (nameTaken(world.projects, p)) return refusal(409, `Project ${p} already exists`);
      const project: Project = {
        mark: `@${tag}`,
        name: p,
        requiresNote: requires,
        restricted: false,
        viewers: [],
        environments: [],
        trafficTypes: [{ mark: `@${tag}.user`, name: 'user', attributes: [] }],
        flags: [],
        segments: [],
        flagSets: [],
      };
      world.projects.push(project);
      return ok(shownProject(project), { entry: { ...ofProject('created', project), after: shownProject(project) } });
    },
  }),
  rule('change a project', {
    params: fc.record({ p: names.p, change: settings }),
    send: ({ change: { to, requires } }, { aim }) => ({
      method: 'PATCH',
      path: `/workspaces/${aim.p.word}`,
      body: [
        ...(to === undefined ? [] : [{ op: 'replace', path: '/name', value: to }]),
        ...(requires === undefined ? [] : [{ op: 'add', path: '/requiresTitleAndComments', value: requires }]),
      ],
    }),
    apply: (world, { change: { to, requires } }, aim) => {
      const project = hit(world.projects, aim.p);
      if (!project) return missing('project', aim.p);
      if (to?.trim() === '') return refusal(400, '@any');
      if (to !== undefined && nameTaken(world.projects, to, project)) {
        return refusal(409, `Project ${to} already exists`);
      }
      const before = shownProject(project);
      project.name = to ?? project.name;
      project.requiresNote = requires ?? project.requiresNote;
      const after = shownProject(project);
      return ok(after, { entry: { ...ofProject('patched', project), before, after } });
    },
  }),
  rule('delete a project', {
    params: fc.record({ p: anyProject }),
    send: (_, { aim }) => ({ method: 'DELETE', path: `/workspaces/${aim.p.word}` }),
    apply: (world, _, aim) => {
      const project = hit(world.projects, aim.p);
      if (!project) return missing('project', aim.p);
      if (project.environments.length + project.trafficTypes.length > 0) {
        const still = 'still has environments or traffic types; delete them first';
        return refusal(400, `Project ${project.name} ${still}`);
      }
      world.projects.splice(world.projects.indexOf(project), 1);
      const rest = world.keys.filter((key) => key.project !== project.mark);
      world.keys.splice(0, world.keys.length, ...rest);
      const before = { ...shownProject(project), apiKeys: '@any' };
      return ok(true, { entry: { ...ofProject('deleted', project), before } });
    },
  }),
  rule('list projects', {
    params: fc.record({}),
    send: () => ({ method: 'GET', path: '/workspaces' }),
    apply: (world) => ok(page(world.projects.map(shownProject), 50)),
  }),
  rule('create an environment', {
    params: fc.record({ p: names.p, e: names.e, production: fc.boolean() }),
    send: ({ e, production }, { aim }) => ({
      method: 'POST',
      path: `/environments/ws/${aim.p.word}`,
      body: { name: e, production },
    }),
    apply: (world, { e, production }, aim, tag) => {
      const project = hit(world.projects, aim.p);
      if (!project) return missing('project', aim.p);
      if (nameTaken(project.environments, e)) return refusal(409, `Environment ${e} already exists`);
      const { now } = world;
      const environment = { mark: `@${tag}`, name: e, production, createdAt: now, changeNumber: now, keyChanges: [] };
      project.environments.push(environment);
      for (const type of ['client_side', 'server_side'] as const) {
        const ofKey = { project: project.mark, environment: environment.mark, createdAt: now };
        world.keys.push({ mark: `@${tag}.${type}`, name: '@any', type, ...ofKey });
      }
      const tokens = tokensOf(world, environment).map((one) => ({ ...one, key: '@any' }));
      const after = { ...recordedEnvironment(environment, project), apiKeys: '@any' };
      return ok(details(environment, project, tokens), {
        entry: { ...ofEnvironment('created', environment, project), after },
      });
    },
  }),
  rule('change an environment', {
    params: fc.record({
      p: names.p,
      e: names.e,
      to: seldom(fc.constantFrom('e1', 'e2', 'x'.repeat(21))),
      production: fc.boolean(),
    }),
    send: ({ to, production }, { aim }) => ({
      method: 'PATCH',
      path: `/environments/ws/${aim.p.word}/${aim.e.word}`,
      body: [
        { op: 'replace', path: '/production', value: production },
        ...(to === undefined ? [] : [{ op: 'replace', path: '/name', value: to }]),
      ],
    }),
    apply: (world, { to, production }, aim) => {
      const project = hit(world.projects, aim.p);
      if (!project) return missing('project', aim.p);
      const environment = hit(project.environments, aim.e);
      if (!environment) return missing('environment', aim.e);
      if (to !== undefined && to.length > 20) return refusal(400, '@any');
      if (to !== undefined && nameTaken(project.environments, to, environment)) {
        return refusal(409, `Environment ${to} already exists`);
      }
      const before = recordedEnvironment(environment, project);
      environment.name = to ?? environment.name;
      environment.production = production;
      return ok(details(environment, project, tokensOf(world, environment)), {
        entry: {
          ...ofEnvironment('patched', environment, project),
          before,
          after: recordedEnvironment(environment, project),
        },
      });
    },
  }),
  rule('delete an environment', {
    params: fc.record({ p: names.p, e: names.e }),
    send: (_, { aim }) => ({ method: 'DELETE', path: `/environments/ws/${aim.p.word}/${aim.e.word}` }),
    apply: (world, _, aim) => {
      const project = hit(world.projects, aim.p);
      if (!project) return missing('project', aim.p);
      const environment = hit(project.environments, aim.e);
      if (!environment) return missing('environment', aim.e);
      const hasKeys = world.keys.some((key) => key.environment === environment.mark);
      const isDefined = project.flags.some(({ definitions }) =>
        definitions.some((definition) => definition.environment === environment.mark),
      );
      const hasSegments = project.segments.some(({ active }) =>
        active.some((one) => one.environment === environment.mark),
      );
      if (hasKeys) return refusal(400, '@any');
      if (isDefined || hasSegments) {
        return refusal(
          400,
          `Environment ${environment.name} still has feature flag definitions or segments; delete or deactivate them first`,
        );
      }
      project.environments.splice(project.environments.indexOf(environment), 1);
      const before = recordedEnvironment(environment, project);
      return ok(true, { entry: { ...ofEnvironment('deleted', environment, project), before } });
    },
  }),
  rule('list environments', {
    params: fc.record({ p: names.p }),
    send: (_, { aim }) => ({ method: 'GET', path: `/environments/ws/${aim.p.word}` }),
    apply: (world, _, aim) => {
      const project = hit(world.projects, aim.p);
      if (!project) return missing('project', aim.p);
      return ok(project.environments.map(({ mark, name, production }) => ({ name, id: mark, production })));
    },
  }),
  rule('create a traffic type', {
    params: fc.record({ p: names.p, t: names.t }),
    send: ({ t }, { aim }) => ({ method: 'POST', path: `/trafficTypes/ws/${aim.p.word}`, body: { name: t } }),
    apply: (world, { t }, aim, tag) => {
      const project = hit(world.projects, aim.p);
      if (!project) return missing('project', aim.p);
      if (nameTaken(project.trafficTypes, t)) return refusal(409, `Traffic type ${t} already exists`);
      const type = { mark: `@${tag}`, name: t, attributes: [] };
      project.trafficTypes.push(type);
      return ok(shownType(type, project), {
        entry: { ...ofType('created', type, project), after: keptType(type, project) },
      });
    },
  }),
  rule('delete a traffic type', {
    params: fc.record({ p: anyProject, t: names.t }),
    send: (_, { aim, idOf }) => ({ method: 'DELETE', path: `/trafficTypes/${aim.t.mark ? idOf(aim.t.mark) : 'none'}` }),
    apply: (world, _, aim) => {
      const { mark } = aim.t;
      const project = world.projects.find(({ trafficTypes }) => trafficTypes.some((type) => type.mark === mark));
      const type = project?.trafficTypes.find((one) => one.mark === mark);
      if (!project || !type) return refusal(404, '@any');
      if ([...project.flags, ...project.segments].some((one) => one.type.mark === mark)) {
        return refusal(400, `Traffic type ${type.name} is still used by feature flags or segments; delete them first`);
      }
      project.trafficTypes.splice(project.trafficTypes.indexOf(type), 1);
      const earlierEntries = deletedAttributes(type, project);
      return ok(true, {
        earlierEntries,
        entry: { ...ofType('deleted', type, project), before: keptType(type, project) },
      });
    },
  }),
  rule('list traffic types', {
    params: fc.record({ p: names.p }),
    send: (_, { aim }) => ({ method: 'GET', path: `/trafficTypes/ws/${aim.p.word}` }),
    apply: (world, _, aim) => {
      const project = hit(world.projects, aim.p);
      return project ? ok(project.trafficTypes.map((type) => shownType(type, project))) : missing('project', aim.p);
    },
  }),
  rule('list rollout statuses', {
    params: fc.record({ p: names.p }),
    send: (_, { aim }) => ({ method: 'GET', path: `/rolloutStatuses?wsId=${aim.p.word}` }),
    apply: (world, _, aim) => {
      const project = hit(world.projects, aim.p);
      if (!project) return missing('project', aim.p);
      return ok(
        statusNames.map((name, index) => ({ id: `${project.mark}.status${index}`, name, description: '@any' })),
      );
    },
  }),
];

const keptType = ({ mark, name }: TrafficType, project: Project) => ({
  id: mark,
  projectId: project.mark,
  name,
  displayAttributeId: '',
});
const ofType = (action: string, type: TrafficType, project: Project) => ({
  action: `trafficType.${action}`,
  object: { type: 'trafficType', id: type.mark, name: type.name },
  project: project.mark,
});
