/**
 * Edits to a definition as data. An edit is plain JSON that says what was requested. It can be stored and applied
 * later, to a definition or under rules that have changed meanwhile.
 */
import type { Operation } from '../json-patch.ts';
import { type Definition, type Targeting, toTargeting } from './definition.ts';
import { parseTargeting, patchTargeting } from './parse.ts';

/** `body` is a definition as clients send it. */
export type CreateEdit = { readonly kind: 'create'; readonly body: unknown };
export type DeleteEdit = { readonly kind: 'delete' };
/** Edits that turn a definition into another. */
export type ChangeEdit =
  | { readonly kind: 'replace'; readonly body: unknown }
  | { readonly kind: 'patch'; readonly operations: readonly Operation[] }
  | { readonly kind: 'kill' }
  | { readonly kind: 'restore' };

export type DefinitionEdit = CreateEdit | ChangeEdit | DeleteEdit;

/**
 * The targeting after the edit; undefined after a delete. `before` is not changed; unchanged parts are shared. Refuses
 * a malformed body or patch. `checkTargeting` decides whether the result is valid.
 */
export function applyEdit(before: undefined, edit: CreateEdit): Targeting;
export function applyEdit(before: Definition, edit: ChangeEdit): Targeting;
export function applyEdit(before: Definition, edit: ChangeEdit | DeleteEdit): Targeting | undefined;
export function applyEdit(before: Definition | undefined, edit: DefinitionEdit): Targeting | undefined {
  if (edit.kind === 'create') return parseTargeting(edit.body);
  if (!before) throw new Error(`there is no definition to ${edit.kind}`);
  switch (edit.kind) {
    case 'replace':
      // A body without `killed` must not restore a killed flag.
      return parseTargeting(edit.body, before);
    case 'patch':
      return patchTargeting(before, edit.operations);
    case 'kill':
      return { ...toTargeting(before), killed: true };
    case 'restore':
      return { ...toTargeting(before), killed: false };
    case 'delete':
      return undefined;
  }
}
