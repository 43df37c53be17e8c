import { getConvergence } from '#contract/traffic.ts';
import type { Convergence } from '#domain/sdks.ts';
import { call } from '../../../server/api.ts';

const followMs = 30_000;
const pauseMs = 1_000;

/** "2 of 3 instances hold it." Empty if none is connected. */
const holdersInWords = ({ instances, converged }: Pick<Convergence, 'instances' | 'converged'>): string => {
  if (instances === 0) return '';
  const number = (value: number) => value.toLocaleString('en');
  return `${number(converged)} of ${number(instances)} ${instances === 1 ? 'instance holds' : 'instances hold'} it.`;
};

/**
 * Says how many instances hold a change, until all do or half a minute has passed. The server answers when more hold it, so
 * there are few requests. `say` returns false if nobody reads it any more.
 */
export async function followChange(
  params: { readonly project: string; readonly environment: string },
  changeNumber: number,
  say: (words: string, isLast: boolean) => boolean,
): Promise<void> {
  const end = performance.now() + followMs;
  // Those that stream have it within a second.
  let query = { changeNumber, min: 100, timeout: 1 };
  let words = '';
  try {
    for (;;) {
      const found = await call(getConvergence, { params, query });
      words = holdersInWords(found);
      const left = Math.floor((end - performance.now() - pauseMs) / 1_000);
      const isLast = found.converged === found.instances || left < 1;
      if (!say(words, isLast) || isLast) return;
      query = { changeNumber, min: Math.floor(found.percent) + 1, timeout: left };
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  } catch {
    // The change is saved. The SDKs page has the rest.
    say(words, true);
  }
}
