import { useEditor } from '../editing/editor.ts';
import type { NamedRules } from './shares.ts';

/** The saved rules, to which labels that SDKs report belong. */
export function useNamedRules(): NamedRules {
  const { savedTargeting, trafficType } = useEditor();
  return { rules: savedTargeting?.rules ?? [], trafficType };
}
