/**
 * Resolves path parameters, or answers 404, equally for what does not exist and for what is outside the actor's scope.
 */
import type { Actor } from '#domain/access.ts';
import { definitionNotFound } from '#domain/definitions/definition.ts';
import type { Environment } from '#domain/environments.ts';
import type { FlagSet } from '#domain/flag-sets.ts';
import type { DefinedFlag, Flag } from '#domain/flags.ts';
import { Problem } from '#domain/problems.ts';
import type { Project } from '#domain/projects.ts';
import type { Segment, SegmentKind } from '#domain/segments.ts';
import type { TrafficType } from '#domain/traffic-types.ts';
import { findEnvironment, findEnvironmentById, listEnvironments, listEnvironmentsNamed } from '#store/environments.ts';
import { findFlagSet } from '#store/flag-sets.ts';
import { findDefinedFlag, findFlag } from '#store/flags.ts';
import { findProject, findProjectById, listProjects } from '#store/projects.ts';
import { reaches } from '#store/scope-filter.ts';
import { findSegment } from '#store/segments.ts';
import type { Reader } from '#store/sql.ts';
import { findTrafficType, findTrafficTypeById, listTrafficTypes } from '#store/traffic-types.ts';

export async function resolveProject(db: Reader, actor: Actor, nameOrId: string): Promise<Project> {
  const project = await findByNameOrId(nameOrId, (name) => findProject(db, name, actor.scope));
  if (project) return project;
  const filter = { scope: actor.scope, name: nameOrId, nameOp: 'STARTS_WITH', nameOrId: undefined } as const;
  const similar = nameLike(nameOrId, await listProjects(db, { ...filter, offset: 0, limit: 10 }));
  throw new Problem('project_not_found', { nameOrId, similar });
}

async function resolveEnvironment(db: Reader, actor: Actor, project: Project, nameOrId: string): Promise<Environment> {
  const environment = await findByNameOrId(nameOrId, (name) => findEnvironment(db, project.id, name, actor.scope));
  if (environment) return environment;
  const similar = nameLike(nameOrId, await listEnvironments(db, project.id, actor.scope));
  throw new Problem('environment_not_found', { nameOrId, similar });
}

interface NamedSegment {
  readonly kind: SegmentKind | undefined;
  readonly name: string;
}

/**
 * By id in any project that the actor reaches, else by name. If several projects have an environment of this name, it
 * is that of the only project with the segment.
 */
async function resolveEnvironmentAnywhere(
  db: Reader,
  actor: Actor,
  nameOrId: string,
  segment: NamedSegment | undefined,
): Promise<Environment> {
  const environment = await findByNameOrId(nameOrId, async (name) => {
    const byId = await findEnvironmentById(db, name, actor.scope);
    if (byId) return byId;
    let [found, other] = await listEnvironmentsNamed(db, name, actor.scope);
    if (other && segment) [found, other] = await listEnvironmentsNamed(db, name, actor.scope, segment);
    if (other) throw new Problem('environment_ambiguous', { name });
    return found;
  });
  if (!environment) throw new Problem('environment_not_found', { nameOrId });
  return environment;
}

/** Several in one statement. */
export async function resolveEnvironments(
  db: Reader,
  actor: Actor,
  project: Project,
  params: readonly string[],
): Promise<Environment[]> {
  const reached = await listEnvironments(db, project.id, actor.scope);
  const find = async (nameOrId: string) =>
    reached.find(({ id }) => id === nameOrId) ?? reached.find(({ name }) => name === nameOrId);
  return Promise.all(
    params.map(async (nameOrId) => {
      const environment = await findByNameOrId(nameOrId, find);
      if (!environment) throw new Problem('environment_not_found', { nameOrId, similar: nameLike(nameOrId, reached) });
      return environment;
    }),
  );
}

async function resolveTrafficType(db: Reader, project: Project, nameOrId: string): Promise<TrafficType> {
  const trafficType = await findByNameOrId(nameOrId, (name) => findTrafficType(db, project.id, name));
  if (trafficType) return trafficType;
  const similar = nameLike(nameOrId, await listTrafficTypes(db, project.id));
  throw new Problem('traffic_type_not_found', { nameOrId, similar });
}

/** For paths that name a traffic type without its project. */
export async function resolveTrafficTypeById(db: Reader, actor: Actor, id: string): Promise<TrafficType> {
  const trafficType = await findTrafficTypeById(db, id);
  if (!trafficType || !(await reaches(db, actor.scope, trafficType.projectId))) {
    throw new Problem('traffic_type_not_found', { nameOrId: id });
  }
  return trafficType;
}

async function resolveFlag(db: Reader, project: Project, nameOrId: string): Promise<Flag> {
  const flag = await findByNameOrId(nameOrId, (name) => findFlag(db, project.id, name));
  if (!flag) throw new Problem('flag_not_found', { nameOrId });
  return flag;
}

/** In an environment, a flag is looked up as a definition, and so is the 404. */
async function resolveDefinedFlag(
  db: Reader,
  actor: Actor,
  { project, environment }: { project: Project; environment: Environment },
  nameOrId: string,
): Promise<DefinedFlag> {
  const flag = await findByNameOrId(nameOrId, (name) => findDefinedFlag(db, project.id, name));
  if (!flag) throw definitionNotFound(actor, { nameOrId, project, environment }, 'flag');
  return flag;
}

const kindOf = {
  segment: 'standard',
  largeSegment: 'large',
  ruleBasedSegment: 'rule_based',
  anySegment: undefined,
} as const;
type SegmentParam = keyof typeof kindOf;
const segmentParams = Object.keys(kindOf) as SegmentParam[];

async function resolveSegment(db: Reader, project: Project, { kind, name }: NamedSegment): Promise<Segment> {
  const segment = await findSegment(db, { projectId: project.id, kind }, name);
  if (!segment) throw new Problem('segment_not_found', { nameOrId: name });
  return segment;
}

export interface ResolvedPath {
  project?: Project;
  environment?: Environment;
  flag?: Flag | DefinedFlag;
  trafficType?: TrafficType;
  flagSet?: FlagSet;
  segment?: Segment;
  largeSegment?: Segment;
  ruleBasedSegment?: Segment;
  anySegment?: Segment;
}

/** Everything that the path parameters name, outermost first. */
export async function resolvePath(db: Reader, actor: Actor, params: Record<string, string>): Promise<ResolvedPath> {
  const {
    project: projectParam,
    environment: environmentParam,
    flag: flagParam,
    trafficType: trafficTypeParam,
    flagSet: flagSetParam,
  } = params;
  const segmentParam = segmentParams.find((word) => params[word] !== undefined);
  const segment = segmentParam && { kind: kindOf[segmentParam], name: params[segmentParam] ?? '' };
  const found: ResolvedPath = {};
  if (projectParam !== undefined) found.project = await resolveProject(db, actor, projectParam);
  else if (trafficTypeParam !== undefined) {
    found.trafficType = await resolveTrafficTypeById(db, actor, trafficTypeParam);
    found.project = await requireProject(db, found.trafficType.projectId);
  }
  if (environmentParam !== undefined) {
    found.environment = found.project
      ? await resolveEnvironment(db, actor, found.project, environmentParam)
      : await resolveEnvironmentAnywhere(db, actor, environmentParam, segment);
    found.project ??= await requireProject(db, found.environment.projectId);
  }
  if (flagSetParam !== undefined) {
    found.flagSet = await resolveFlagSet(db, actor, flagSetParam);
    found.project = await requireProject(db, found.flagSet.projectId);
  }
  const { project } = found;
  if (!project) return found;
  if (segmentParam && segment) found[segmentParam] = await resolveSegment(db, project, segment);
  if (trafficTypeParam !== undefined) found.trafficType ??= await resolveTrafficType(db, project, trafficTypeParam);
  if (flagParam !== undefined) {
    const { environment } = found;
    found.flag = environment
      ? await resolveDefinedFlag(db, actor, { project, environment }, flagParam)
      : await resolveFlag(db, project, flagParam);
  }
  return found;
}

/** Its path does not name the project. */
async function resolveFlagSet(db: Reader, actor: Actor, id: string): Promise<FlagSet> {
  const flagSet = await findFlagSet(db, id);
  if (!flagSet || !(await reaches(db, actor.scope, flagSet.projectId))) {
    throw new Problem('flag_set_not_found', { nameOrId: id });
  }
  return flagSet;
}

async function requireProject(db: Reader, id: string): Promise<Project> {
  const project = await findProjectById(db, id);
  if (!project) throw new Problem('project_not_found', { nameOrId: id });
  return project;
}

/** A name that differs only in case, among what the actor reaches. */
const nameLike = (nameOrId: string, candidates: readonly { readonly name: string }[]): string | undefined =>
  candidates.find(({ name }) => name.toLowerCase() === nameOrId.toLowerCase())?.name;

/**
 * Some clients encode a space in a path as `+`, so a failed lookup is repeated that way. Only what the actor reaches is
 * found, so a foreign name with a `+` neither hides ours nor is revealed.
 */
async function findByNameOrId<Found>(nameOrId: string, find: (name: string) => Promise<Found | undefined>) {
  const found = await find(nameOrId);
  return found || !nameOrId.includes('+') ? found : find(nameOrId.replaceAll('+', ' '));
}
