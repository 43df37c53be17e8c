import {
  createDefinition,
  type DefinitionChange,
  deleteDefinition,
  killDefinition,
  patchDefinition,
  replaceDefinition,
  restoreDefinition,
} from '#commands/definitions.ts';
import * as contract from '#contract/definitions.ts';
import { pageSizes } from '#contract/parts.ts';
import { definitionNotFound } from '#domain/definitions.ts';
import type { Note } from '#domain/projects.ts';
import { countDefinitions, findDefinition, listDefinitions } from '#store/definitions.ts';
import type { Reader } from '#store/sql.ts';
import { type Call, implement } from '../implement.ts';
import { noteOf } from '../notes.ts';
import { offsetPage } from '../pages.ts';

type Switch = Call<typeof contract.killDefinition>;

export const definitions = (db: Reader) => {
  const kill = async (call: Switch) => killDefinition(call.context, changeOf(call, call.body));
  const restore = async (call: Switch) => restoreDefinition(call.context, changeOf(call, call.body));
  return implement(contract, {
    listDefinitions: async ({ environment, query }) =>
      offsetPage(query, pageSizes.definitions, {
        list: (page) => listDefinitions(db, environment, page),
        count: () => countDefinitions(db, environment.id),
      }),
    getDefinition: async ({ actor, project, environment, flag, words }) => {
      const definition = await findDefinition(db, environment, flag.id);
      if (!definition) throw definitionNotFound(actor, { word: words.flag, project, environment }, 'definition');
      return definition;
    },
    createDefinition: async (call) => createDefinition(call.context, { ...changeOf(call, call.body), body: call.body }),
    replaceDefinition: async (call) =>
      replaceDefinition(call.context, { ...changeOf(call, call.body), body: call.body }),
    patchDefinition: async (call) => patchDefinition(call.context, { ...changeOf(call), operations: call.body }),
    deleteDefinition: async (call) => deleteDefinition(call.context, changeOf(call, call.body)),
    killDefinition: kill,
    killDefinitionByPost: kill,
    restoreDefinition: restore,
    restoreDefinitionByPost: restore,
  });
};

type Addressed = Pick<DefinitionChange, 'project' | 'environment' | 'flag' | 'ifMatch'> & {
  readonly query: Note;
  readonly words: { readonly flag: string };
};

const changeOf = (
  { project, environment, flag, words, ifMatch, query }: Addressed,
  body?: unknown,
): DefinitionChange => ({
  project,
  environment,
  flag,
  word: words.flag,
  note: noteOf(query, body),
  ifMatch,
});
