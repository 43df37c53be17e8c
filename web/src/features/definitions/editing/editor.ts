/** Context of the flag page: the definition and its editing state. */
import { createContext, useContext } from 'react';
import type { Endpoint } from '#contract/endpoint.ts';
import type { Targeting } from '#domain/definitions/definition.ts';
import type { Environment } from '../../../server/project.ts';
import type { Editing } from './use-editing.ts';

export interface Editor extends Editing {
  readonly environment: Environment;
  readonly trafficType: string;
  /** Treatment names, saved and drafted; their order decides the colours. */
  readonly order: readonly string[];
  /** Steps that someone else just changed. They flash once. */
  readonly news: ReadonlySet<string>;
  /** Why the user may not call an endpoint for this definition. */
  readonly whyNot: (endpoint: Endpoint) => string | undefined;
  /** Why the user may not edit the definition. */
  readonly refusal: string | undefined;
  readonly mayEdit: boolean;
  /** The user may not save the definition, and makes a proposal to those who may. */
  readonly isProposing: boolean;
  /** Set after an attempt to save an incomplete draft; complaints then stand out. */
  readonly isAttempted: boolean;
  readonly setAttempted: (isAttempted: boolean) => void;
  /** The index of the rule that is being edited. */
  readonly openRule: number | undefined;
  readonly setOpenRule: (index: number | undefined) => void;
}

/** The element that says why the definition is read-only. */
export const whyNotId = 'why-not';

/** For buttons of a read-only definition: they can be focused, and that element describes them. */
export const readOnly = { 'aria-disabled': true, 'aria-describedby': whyNotId } as const;

export const EditorContext = createContext<Editor | null>(null);

export function useEditor(): Editor {
  const editor = useContext(EditorContext);
  if (!editor) throw new Error('outside of a definition');
  return editor;
}

/** For parts rendered only if the flag is defined or has a draft. */
export function useDefinition(): Editor & { readonly targeting: Targeting } {
  const { targeting, ...editor } = useEditor();
  if (!targeting) throw new Error('the flag is not defined here');
  return { ...editor, targeting };
}
