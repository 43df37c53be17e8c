import { receiveUpload, requireAwaited } from '#commands/uploads.ts';
import { turnstile } from '#concurrency/turnstile.ts';
import * as contract from '#contract/uploads.ts';
import { Problem } from '#domain/problems.ts';
import { implement } from '../pipeline/implement.ts';

/** Each has a thread that sorts its keys. */
const maxAtOnce = 2;

export const uploads = () => {
  const slots = turnstile(maxAtOnce, {
    maxWaiting: 0,
    maxWaitMs: 0,
    refusal: () => new Problem('too_many_uploads', { seconds: 10 }),
  });
  return implement(contract, {
    uploadLargeSegment: async ({ context, params, body }) => {
      // Anybody can send a wrong token: it must not take a slot from those who have the right one.
      await requireAwaited(context, params.token);
      return slots.pass(async () => ({ count: await receiveUpload(context, params.token, body) }));
    },
  });
};
