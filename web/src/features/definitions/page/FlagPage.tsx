import { useParams } from '@tanstack/react-router';
import { useEffect } from 'react';
import { rememberEnvironment, useFlag } from '../../../server/flag.ts';
import { useEnvironments, useProject } from '../../../server/project.ts';
import { DefinitionView } from './DefinitionView.tsx';
import { NoSuchEnvironment } from './NoSuchEnvironment.tsx';

/** A flag in one environment, and every way to change it. */
export function FlagPage() {
  const { environment: nameOrId = '' } = useParams({ strict: false });
  const project = useProject();
  const environment = useEnvironments().find(({ name, id }) => name === nameOrId || id === nameOrId);
  const name = environment?.name;
  const flag = useFlag();
  useEffect(() => {
    if (name !== undefined) rememberEnvironment(project.id, name);
  }, [project.id, name]);
  if (!environment) return <NoSuchEnvironment nameOrId={nameOrId} />;
  // A link to another flag must not carry this one's state over.
  return <DefinitionView key={`${flag.id} ${environment.id}`} environment={environment} />;
}
