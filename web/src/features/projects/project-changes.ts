/** Changes to projects, and which queries they invalidate. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { listChanges } from '#contract/changes.ts';
import { listProjects } from '#contract/projects.ts';
import { listTrafficTypes } from '#contract/traffic-types.ts';
import { sentence } from '../../kit/explain.ts';
import type { FieldRule } from '../../kit/form.ts';
import { keyOf, reading } from '../../server/api.ts';
import { useProject } from '../../server/project.ts';

export function useRefreshProjects(): () => Promise<unknown> {
  const client = useQueryClient();
  return () =>
    Promise.all([
      client.invalidateQueries({ queryKey: keyOf(listProjects) }),
      client.invalidateQueries({ queryKey: keyOf(listChanges) }),
    ]);
}

export const useTrafficTypes = () => {
  const { id } = useProject();
  return useQuery(reading(listTrafficTypes, { params: { project: id } }));
};

export const projectNameRule: FieldRule = {
  check: (value) => (value.trim() === '' ? 'Enter a name.' : undefined),
  claim: (complaint, { status }) => {
    if (status === 409) return 'Another project already has this name.';
    return complaint.startsWith('name ') ? sentence(complaint) : undefined;
  },
};

export const noteHint = 'Applies to every change to a flag or definition, in the interface and the API.';
