/** A process whose server lacks one access rule. Reports whether the matrix notices. */
import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import type { WrittenMutation } from './isolation-sources.ts';
import type { World } from './isolation-world.ts';
import type { RightsWorld } from './rights-matrix.ts';

interface Task {
  readonly copy: string;
  readonly world: World | RightsWorld;
  readonly mutation: WrittenMutation;
}

const [, , file = ''] = process.argv;
const { copy, world, mutation } = JSON.parse(readFileSync(file, 'utf8')) as Task;
const mutated = new URL(`../../${mutation.file}`, import.meta.url).href;
registerHooks({
  load: (url, context, nextLoad) => {
    const loaded = nextLoad(url, context);
    if (url !== mutated) return loaded;
    return { ...loaded, source: String(loaded.source).replace(mutation.from, () => mutation.to) };
  },
});
// Imported only now, so that the hook sees them.
const { skipNames } = await import('./build.ts');
const { failsOn, failsOnLists } = await import('./isolation-copies.ts');
skipNames(1_000_000);
const isWrong = await ('sides' in world
  ? failsOn(copy, world, { at: mutation.at })
  : failsOnLists(copy, world, mutation.at ?? 'all'));
process.stdout.write(isWrong ? 'noticed\n' : 'not noticed\n');
