import {
  createDefinition,
  type DefinitionChange,
  deleteDefinition,
  type EditedDefinition,
  killDefinition,
  patchDefinition,
  replaceDefinition,
  restoreDefinition,
} from '#commands/definitions.ts';
import * as contract from '#contract/definitions.ts';
import {
  definitionNotFound,
  type StoredDefinition,
  segmentsOf,
  toDefinitionText,
} from '#domain/definitions/definition.ts';
import type { Note } from '#domain/projects.ts';
import { countDefinitions, findStoredDefinition, listStoredDefinitions } from '#store/definitions.ts';
import type { Reader } from '#store/sql.ts';
import { type Call, implement } from '../pipeline/implement.ts';
import { JsonReply, jsonPage, separated } from '../pipeline/json-reply.ts';
import { noteOf } from '../pipeline/notes.ts';

type Switch = Call<typeof contract.killDefinition>;

export const definitions = (db: Reader) => {
  const kill = async (call: Switch) => toReply(await killDefinition(call.context, changeOf(call, call.body)));
  const restore = async (call: Switch) => toReply(await restoreDefinition(call.context, changeOf(call, call.body)));
  return implement(contract, {
    listDefinitions: async ({ environment, query }) =>
      jsonPage(query, contract.listDefinitions.pageSize, {
        list: (page) => separated(definitionTexts(listStoredDefinitions(db, environment, page))),
        count: () => countDefinitions(db, environment.id),
      }),
    getDefinition: async ({ actor, project, environment, flag, params }) => {
      const definition = await findStoredDefinition(db, environment, flag.id);
      if (!definition) throw definitionNotFound(actor, { nameOrId: params.flag, project, environment }, 'definition');
      return toReply({ stored: definition });
    },
    createDefinition: async (call) =>
      warned(call, await createDefinition(call.context, changeOf(call, call.body), call.body)),
    replaceDefinition: async (call) =>
      warned(call, await replaceDefinition(call.context, changeOf(call, call.body), call.body)),
    patchDefinition: async (call) => warned(call, await patchDefinition(call.context, changeOf(call), call.body)),
    deleteDefinition: async (call) => deleteDefinition(call.context, changeOf(call, call.body)),
    killDefinition: kill,
    killDefinitionByPost: kill,
    restoreDefinition: restore,
    restoreDefinitionByPost: restore,
  });
};

async function* definitionTexts(definitions: AsyncIterable<StoredDefinition>): AsyncGenerator<string> {
  for await (const definition of definitions) yield toDefinitionText(definition);
}

/** Unknown segments are accepted, as the vendor does, and have no members; Burgee has no segments yet. */
function warned({ warn }: { warn: (sentences: readonly string[]) => void }, edited: EditedDefinition): JsonReply {
  warn(segmentsOf(edited.targeting).map((name) => `Segment ${name} does not exist, so it counts as empty`));
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
