import { useFlag } from '../../../server/flag.ts';
import { useProject } from '../../../server/project.ts';
import { EmptyState } from '../../../ui/EmptyState.tsx';

export const NoSuchEnvironment = ({ nameOrId }: { readonly nameOrId: string }) => (
  <EmptyState title={`No environment ${nameOrId} in ${useProject().name}`}>
    It was deleted, or the name is misspelled. The environments above are those in which {useFlag().name} can be
    defined.
  </EmptyState>
);
