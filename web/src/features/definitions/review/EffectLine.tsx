import type { Targeting } from '#domain/definitions/definition.ts';
import { isHarmless } from '#domain/evaluation/effects.ts';
import { differenceLine } from '../../../targeting/difference-words.ts';
import { effectLine, unknownWords } from '../../../targeting/effect-words.ts';
import { useDefinition } from '../editing/editor.ts';
import { useEffectOf } from './use-effect-of.ts';

/** The draft in one line: its effect on all keys, or else what it changes. */
export function EffectLine({ before }: { readonly before: Targeting }) {
  const { environment, targeting, differences, trafficType } = useDefinition();
  const effect = useEffectOf(environment.id, before, targeting);
  if (isHarmless(effect)) {
    const lines = differences.map((difference) => differenceLine(difference, trafficType));
    return lines.length > 2 ? `${lines[0]}; ${lines.length - 1} other changes` : lines.join('; ');
  }
  const [unknown] = effect.groups.length > 1 ? unknownWords(effect) : [];
  const line = effectLine(effect, targeting.defaultTreatment);
  return unknown === undefined ? line : `${line}. Cannot tell exactly: ${unknown.replaceAll('`', '')}.`;
}
