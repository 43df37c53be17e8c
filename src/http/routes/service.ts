import * as contract from '#contract/service.ts';
import { Problem } from '#domain/problems.ts';
import { findAccount } from '#store/account.ts';
import { withDeadline } from '#store/deadline.ts';
import type { Reader } from '#store/sql.ts';
import { implement } from '../pipeline/implement.ts';

/** Whoever asks wants to know soon whether to send requests elsewhere. */
const timeoutMs = 2_000;

export const service = (db: Reader, version: string) =>
  implement(contract, {
    getHealth: async () => ({ status: 'ok' as const, version }),
    getReadiness: async () => {
      const account = await withDeadline(timeoutMs, () => findAccount(db)).catch(() => undefined);
      if (!account) throw new Problem('unavailable', { seconds: 2 });
      return { status: 'ready' as const };
    },
  });
