/** What every part of the flag page knows about the definition that it shows. */
import { createContext, useContext } from 'react';
import type { Targeting } from '#domain/definitions/definition.ts';
import type { Environment } from '../../../server/project.ts';
import type { Editing } from './use-editing.ts';

export interface Editor extends Editing {
  readonly environment: Environment;
  readonly trafficType: string;
  /** The names of the treatments, saved and drafted: they decide the colours. */
  readonly order: readonly string[];
  /** The steps that somebody else has just changed: they flash once. */
  readonly news: ReadonlySet<string>;
  /** The person may change it. */
  readonly mayEdit: boolean;
  /** Somebody tried to save what is not complete: what is missing is said more loudly. */
  readonly isAttempted: boolean;
  readonly setAttempted: (isAttempted: boolean) => void;
}

export const EditorContext = createContext<Editor | null>(null);

export function useEditor(): Editor {
  const editor = useContext(EditorContext);
  if (!editor) throw new Error('outside of a definition');
  return editor;
}

/** For parts that are there only where the flag is defined, or about to be. */
export function useDefinition(): Editor & { readonly targeting: Targeting } {
  const { targeting, ...editor } = useEditor();
  if (!targeting) throw new Error('the flag is not defined here');
  return { ...editor, targeting };
}
