import * as contract from '#contract/sdks.ts';
import type { Sdks } from '#delivery/sdks.ts';
import { toEnvironmentSdks } from '#domain/sdks.ts';
import type { Reader } from '#store/sql.ts';
import { implement } from '../pipeline/implement.ts';

export const sdks = (db: Reader, seen: Sdks | undefined) =>
  implement(contract, {
    getSdks: async ({ actor, environment }) => toEnvironmentSdks(seen?.look(environment.id) ?? [], actor, db.clock()),
  });
