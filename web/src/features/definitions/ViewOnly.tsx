import { askSentence, useAdministrators } from '../../Denied.tsx';
import type { Environment } from '../../project.ts';
import { Notice } from '../../ui/Notice.tsx';

export const ViewOnly = ({ environment }: { readonly environment: Environment }) => (
  <Notice kind="plain">
    You can view {environment.name}. Editing needs the role Flag editor. {askSentence(useAdministrators())}
  </Notice>
);
