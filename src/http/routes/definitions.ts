import {
  createDefinition,
  type DefinitionChange,
  deleteDefinition,
  type EditedDefinition,
  killDefinition,
  patchDefinition,
  replaceDefinition,
  restoreDefinition,
  undeleteDefinition,
} from '#commands/definitions.ts';
import * as contract from '#contract/definitions.ts';
import {
  definitionNotFound,
  type StoredDefinition,
  segmentsOf,
  toDefinitionText,
} from '#domain/definitions/definition.ts';
import { maxSegments } from '#domain/definitions/references.ts';
import type { Note } from '#domain/projects.ts';
import type { Reference } from '#domain/schema.ts';
import { warnAboutEmpty } from '#domain/segments.ts';
import { findPending } from '#store/change-requests.ts';
import {
  countDefinitions,
  type DefinitionFilter,
  findDefinitionChanges,
  findStoredDefinition,
  listStoredDefinitions,
} from '#store/definitions.ts';
import { listNamedSegments } from '#store/segments.ts';
import type { Reader } from '#store/sql.ts';
import { cachedTotals } from '../paging/count-cache.ts';
import { type Call, implement } from '../pipeline/implement.ts';
import { JsonReply, jsonPage, separated } from '../pipeline/json-reply.ts';
import { noteOf } from '../pipeline/notes.ts';

type Switch = Call<typeof contract.killDefinition>;

export const definitions = (db: Reader) => {
  const totalOf = cachedTotals<DefinitionFilter>({
    count: (filter) => countDefinitions(db, filter),
    findChanges: ({ environmentId }) => findDefinitionChanges(db, environmentId),
  });
  const kill = async (call: Switch) => toReply(await killDefinition(call.context, changeOf(call, call.body)));
  const restore = async (call: Switch) => toReply(await restoreDefinition(call.context, changeOf(call, call.body)));
  return implement(contract, {
    listDefinitions: async ({ project, environment, query: { archived, ...query } }) => {
      const filter = { projectId: project.id, environmentId: environment.id, isArchived: archived !== undefined };
      const counted = await totalOf(filter);
      return jsonPage(query, contract.listDefinitions.pageSize, {
        list: (page) => separated(definitionTexts(listStoredDefinitions(db, environment, { filter, page, counted }))),
        count: async () => counted.total,
      });
    },
    getDefinition: async ({ actor, project, environment, flag, params }) => {
      const definition = await findStoredDefinition(db, environment, flag.id);
      if (!definition) throw definitionNotFound(actor, { nameOrId: params.flag, project, environment }, 'definition');
      return toReply({ stored: definition });
    },
    createDefinition: async (call) =>
      inserted(db, call, await createDefinition(call.context, changeOf(call, call.body), call.body)),
    replaceDefinition: async (call) =>
      warned(db, call, await replaceDefinition(call.context, changeOf(call, call.body), call.body)),
    patchDefinition: async (call) => warned(db, call, await patchDefinition(call.context, changeOf(call), call.body)),
    deleteDefinition: async (call) => deleteDefinition(call.context, changeOf(call, call.body)),
    undeleteDefinition: async (call) =>
      inserted(db, call, await undeleteDefinition(call.context, changeOf(call, call.body))),
    killDefinition: kill,
    killDefinitionByPost: kill,
    restoreDefinition: restore,
    restoreDefinitionByPost: restore,
  });
};

async function* definitionTexts(definitions: AsyncIterable<StoredDefinition>): AsyncGenerator<string> {
  for await (const definition of definitions) yield toDefinitionText(definition);
}

/** A change request may already ask for what was created meanwhile. */
async function inserted(db: Reader, call: Warned, { stored, targeting }: EditedDefinition): Promise<JsonReply> {
  const place = { kind: 'definition', object: stored, environment: stored.environment } as const;
  const open = await findPending(db, place);
  return warned(db, call, {
    stored: { ...stored, ...(open === undefined ? {} : { openChangeRequestId: open }) },
    targeting,
  });
}

interface Warned {
  readonly project: Reference;
  readonly environment: Reference;
  readonly warn: (sentences: readonly string[]) => void;
}

/** Segments that do not exist, or are not active here, are accepted, as the vendor does, and have no members. */
async function warned(
  db: Reader,
  { project, environment, warn }: Warned,
  edited: EditedDefinition,
): Promise<JsonReply> {
  const names = segmentsOf(edited.targeting).slice(0, maxSegments);
  const found = await listNamedSegments(db, { projectId: project.id, environmentId: environment.id }, names);
  warn(warnAboutEmpty(names, found, environment.name));
  return toReply(edited);
}

const toReply = ({ stored }: Pick<EditedDefinition, 'stored'>): JsonReply =>
  new JsonReply(toDefinitionText(stored), stored);

type Addressed = Pick<DefinitionChange, 'project' | 'environment' | 'flag' | 'ifMatch'> & {
  readonly query: Note;
  readonly params: { readonly flag: string };
};

const changeOf = (
  { project, environment, flag, params, ifMatch, query }: Addressed,
  body?: unknown,
): DefinitionChange => ({
  project,
  environment,
  flag,
  nameOrId: params.flag,
  note: noteOf(query, body),
  ifMatch,
});
