import { Link } from '@tanstack/react-router';
import type { ComponentProps } from 'react';
import { useFlag } from '../server/flag.ts';
import { type Environment, useProject } from '../server/project.ts';

interface Props extends Omit<ComponentProps<'a'>, 'href' | 'target'> {
  readonly environment: Environment;
  /** The id of the audit entry. */
  readonly change: string;
}

/** To one version in the flag’s history. */
export function VersionLink({ environment, change, ...rest }: Props) {
  const project = useProject();
  const flag = useFlag();
  return (
    <Link
      to="/p/$project/flags/$flag/activity"
      params={{ project: project.name, flag: flag.name }}
      search={{ environment: environment.name, version: change }}
      {...rest}
    />
  );
}
