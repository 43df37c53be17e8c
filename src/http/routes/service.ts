import * as contract from '#contract/service.ts';
import { Problem } from '#domain/problems.ts';
import { findAccount } from '#store/account.ts';
import type { Reader } from '#store/sql.ts';
import { implement } from '../pipeline/implement.ts';

export const service = (db: Reader, version: string) =>
  implement(contract, {
    getHealth: async () => ({ status: 'ok' as const, version }),
    getReadiness: async () => {
      const account = await findAccount(db).catch(() => undefined);
      if (!account) throw new Problem('unavailable', { seconds: 2 });
      return { status: 'ready' as const };
    },
  });
