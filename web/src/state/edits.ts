/** Edits of a form whose values follow what others change: each remembers what it started from. */
import { equalJson } from '#domain/json.ts';

export type Edits<Values> = {
  readonly [Name in keyof Values]?: { readonly from: Values[Name]; readonly to: Values[Name] };
};

/** What is left when `sent` has been saved: what was edited meanwhile, starting from there. */
export function editsAfter<Values>(sent: Edits<Values>, now: Edits<Values>): Edits<Values> {
  const left: { [Name in keyof Values]?: { from: Values[Name]; to: Values[Name] } } = {};
  for (const name of Object.keys(now) as (keyof Values)[]) {
    const [before, edit] = [sent[name], now[name]];
    if (!edit || (before && equalJson(before.to, edit.to))) continue;
    left[name] = { from: before ? before.to : edit.from, to: edit.to };
  }
  return left;
}
