/** Form edits that remember the value they started from, so that unedited fields can follow changes by others. */
import { equalJson } from '#domain/json.ts';

export type Edits<Values> = {
  readonly [Name in keyof Values]?: { readonly from: Values[Name]; readonly to: Values[Name] };
};

/** The edits left after `sent` was saved: those made meanwhile, now based on it. */
export function editsAfter<Values>(sent: Edits<Values>, now: Edits<Values>): Edits<Values> {
  const left: { [Name in keyof Values]?: { from: Values[Name]; to: Values[Name] } } = {};
  for (const name of Object.keys(now) as (keyof Values)[]) {
    const [before, edit] = [sent[name], now[name]];
    if (!edit || (before && equalJson(before.to, edit.to))) continue;
    left[name] = { from: before ? before.to : edit.from, to: edit.to };
  }
  return left;
}
