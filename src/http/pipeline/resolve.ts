/** Path words → things, or 404: the same answer for what does not exist and for what is outside the actor's scope. */
import type { Actor } from '#domain/access.ts';
import { definitionNotFound } from '#domain/definitions/definition.ts';
import type { Environment } from '#domain/environments.ts';
import type { DefinedFlag, Flag } from '#domain/flags.ts';
import { Problem } from '#domain/problems.ts';
import type { Project } from '#domain/projects.ts';
import type { TrafficType } from '#domain/traffic-types.ts';
import { findEnvironment, listEnvironments } from '#store/environments.ts';
import { findDefinedFlag, findFlag } from '#store/flags.ts';
import { findProject, listProjects } from '#store/projects.ts';
import { reaches } from '#store/scope-filter.ts';
import type { Reader } from '#store/sql.ts';
import { findTrafficType, findTrafficTypeById, listTrafficTypes } from '#store/traffic-types.ts';

export async function resolveProject(db: Reader, actor: Actor, word: string): Promise<Project> {
  const project = await findByWord(word, (name) => findProject(db, name, actor.scope));
  if (project) return project;
  const filter = { scope: actor.scope, name: word, nameOp: 'STARTS_WITH', word: undefined } as const;
  const similar = nameLike(word, await listProjects(db, { ...filter, offset: 0, limit: 10 }));
  throw new Problem('project_not_found', { word, similar });
}

async function resolveEnvironment(db: Reader, actor: Actor, project: Project, word: string): Promise<Environment> {
  const environment = await findByWord(word, (name) => findEnvironment(db, project.id, name, actor.scope));
  if (environment) return environment;
  const similar = nameLike(word, await listEnvironments(db, project.id, actor.scope));
  throw new Problem('environment_not_found', { word, similar });
}

/** Several at once, in one statement. */
export async function resolveEnvironments(
  db: Reader,
  actor: Actor,
  project: Project,
  words: readonly string[],
): Promise<Environment[]> {
  const reached = await listEnvironments(db, project.id, actor.scope);
  const find = async (word: string) =>
    reached.find(({ id }) => id === word) ?? reached.find(({ name }) => name === word);
  return Promise.all(
    words.map(async (word) => {
      const environment = await findByWord(word, find);
      if (!environment) throw new Problem('environment_not_found', { word, similar: nameLike(word, reached) });
      return environment;
    }),
  );
}

async function resolveTrafficType(db: Reader, project: Project, word: string): Promise<TrafficType> {
  const trafficType = await findByWord(word, (name) => findTrafficType(db, project.id, name));
  if (trafficType) return trafficType;
  const similar = nameLike(word, await listTrafficTypes(db, project.id));
  throw new Problem('traffic_type_not_found', { word, similar });
}

/** For the path that names a traffic type without its project. */
export async function resolveTrafficTypeById(db: Reader, actor: Actor, id: string): Promise<TrafficType> {
  const trafficType = await findTrafficTypeById(db, id);
  if (!trafficType || !(await reaches(db, actor.scope, trafficType.projectId))) {
    throw new Problem('traffic_type_not_found', { word: id });
  }
  return trafficType;
}

async function resolveFlag(db: Reader, project: Project, word: string): Promise<Flag> {
  const flag = await findByWord(word, (name) => findFlag(db, project.id, name));
  if (!flag) throw new Problem('flag_not_found', { word });
  return flag;
}

/** Inside an environment a flag is looked for as a definition, and missed as one. */
async function resolveDefinedFlag(
  db: Reader,
  actor: Actor,
  { project, environment }: { project: Project; environment: Environment },
  word: string,
): Promise<DefinedFlag> {
  const flag = await findByWord(word, (name) => findDefinedFlag(db, project.id, name));
  if (!flag) throw definitionNotFound(actor, { word, project, environment }, 'flag');
  return flag;
}

export interface Things {
  project?: Project;
  environment?: Environment;
  flag?: Flag | DefinedFlag;
  trafficType?: TrafficType;
}

/** Everything that the words of a path name, outermost first. */
export async function resolvePath(db: Reader, actor: Actor, words: Record<string, string>): Promise<Things> {
  const { project: projectWord, environment: environmentWord, flag: flagWord, trafficType: trafficTypeWord } = words;
  if (projectWord === undefined) return {};
  const found: Things & { project: Project } = { project: await resolveProject(db, actor, projectWord) };
  const { project } = found;
  if (environmentWord !== undefined) {
    found.environment = await resolveEnvironment(db, actor, project, environmentWord);
  }
  if (trafficTypeWord !== undefined) found.trafficType = await resolveTrafficType(db, project, trafficTypeWord);
  if (flagWord !== undefined) {
    const { environment } = found;
    found.flag = environment
      ? await resolveDefinedFlag(db, actor, { project, environment }, flagWord)
      : await resolveFlag(db, project, flagWord);
  }
  return found;
}

/** The name that differs from the word in case alone. Only for things that the actor reaches. */
const nameLike = (word: string, things: readonly { readonly name: string }[]): string | undefined =>
  things.find(({ name }) => name.toLowerCase() === word.toLowerCase())?.name;

/**
 * Some clients write a space in a path as `+`: what is not found as it stands is tried once more that way. Only what the
 * actor reaches is found, so a foreign name with a `+` neither hides one of ours nor shows that it exists.
 */
async function findByWord<Thing>(word: string, find: (name: string) => Promise<Thing | undefined>) {
  const found = await find(word);
  return found || !word.includes('+') ? found : find(word.replaceAll('+', ' '));
}
