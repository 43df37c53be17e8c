import { askSentence, useAdministrators } from '../../../kit/Denied.tsx';
import type { Environment } from '../../../server/project.ts';
import { Notice } from '../../../ui/Notice.tsx';

export const ViewOnly = ({ environment }: { readonly environment: Environment }) => (
  <Notice kind="plain">
    You can view this flag in {environment.name}, but not edit it. {askSentence(useAdministrators())}
  </Notice>
);
