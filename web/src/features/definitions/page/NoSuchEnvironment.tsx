import { useFlag } from '../../../server/flag.ts';
import { useProject } from '../../../server/project.ts';
import { EmptyState } from '../../../ui/EmptyState.tsx';
import { Page } from '../../../ui/Page.tsx';
import { EnvironmentStrip } from './EnvironmentStrip.tsx';
import { FlagHead } from './FlagHead.tsx';

export function NoSuchEnvironment({ word }: { readonly word: string }) {
  const project = useProject();
  return (
    <Page>
      <FlagHead within={word} />
      <EnvironmentStrip current="" />
      <EmptyState title={`No environment ${word} in ${project.name}`}>
        It was deleted, or the name is misspelled. The environments above are those in which {useFlag().name} can be
        defined.
      </EmptyState>
    </Page>
  );
}
