import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { ChevronsUpDown } from 'lucide-react';
import { useState } from 'react';
import { createProject } from '#contract/projects.ts';
import { projectsReading, useIsGone, useLikelyProject } from '../server/project.ts';
import { useMay } from '../server/session.ts';
import { Picker } from '../ui/Picker.tsx';
import styles from './ProjectSwitcher.module.css';

/** Shows the current project and switches to another, or to a new one. */
export function ProjectSwitcher() {
  const { project: nameOrId } = useParams({ strict: false });
  const likely = useLikelyProject(nameOrId);
  // People point at the list before they open it.
  const [isWanted, setWanted] = useState(false);
  const { data } = useQuery({ ...projectsReading, enabled: isWanted || nameOrId === undefined });
  const navigate = useNavigate();
  const may = useMay();
  const isGone = useIsGone(nameOrId);
  const current = isGone ? undefined : (nameOrId ?? likely?.name);
  const options = (data?.objects ?? []).map(({ name }) => ({ id: name, label: name }));
  const creation = {
    label: () => 'New project',
    make: () => void navigate({ to: '/admin/settings', search: { new: '' } }),
    isAlways: true,
  };
  if (current === undefined && options.length === 0) return null;
  return (
    <Picker
      label="Project"
      options={options}
      selected={current ?? ''}
      onChoose={(project) => void navigate({ to: '/p/$project/flags', params: { project } })}
      create={may(createProject) ? creation : undefined}
      trigger={(trigger) => (
        <button
          type="button"
          className={styles.switcher}
          onPointerEnter={() => setWanted(true)}
          onFocus={() => setWanted(true)}
          {...trigger}
        >
          <span className={styles.letter} aria-hidden>
            {current?.slice(0, 1).toUpperCase()}
          </span>
          <span className={styles.words}>
            <small className={styles.what}>Project</small>
            <span className={styles.name}>{current ?? 'Choose one'}</span>
          </span>
          <ChevronsUpDown size={14} aria-hidden />
        </button>
      )}
    />
  );
}
