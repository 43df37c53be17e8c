import * as contract from '#contract/rollouts.ts';
import { definitionNotFound } from '#domain/definitions/definition.ts';
import { rolloutHistoryOf } from '#domain/rollouts.ts';
import { isDefined } from '#store/definitions.ts';
import { listDefinitionStates } from '#store/rollouts.ts';
import type { Reader } from '#store/sql.ts';
import { implement } from '../pipeline/implement.ts';

export const rollouts = (db: Reader) =>
  implement(contract, {
    getRolloutHistory: async ({ actor, project, environment, flag, params, query: { from } }) => {
      if (!(await isDefined(db, environment.id, flag.id))) {
        throw definitionNotFound(actor, { nameOrId: params.flag, project, environment }, 'definition');
      }
      const asked = { environmentId: environment.id, flagId: flag.id, from };
      return rolloutHistoryOf(await listDefinitionStates(db, asked), from);
    },
  });
