import { useMutation } from '@tanstack/react-query';
import { CircleOff, Ellipsis, Pencil, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { changeSegmentDetails, deactivateSegment, deleteSegment } from '#contract/segments.ts';
import { explain } from '../../kit/explain.ts';
import type { ApiProblem } from '../../server/api-problem.ts';
import { type Environment, useProject } from '../../server/project.ts';
import { useWhyNot } from '../../server/rights.ts';
import { toast, toastFailure } from '../../state/toasts.ts';
import { deactivate, kindWords } from '../../targeting/segment-kinds.ts';
import { Button } from '../../ui/Button.tsx';
import { Tag } from '../../ui/Chip.tsx';
import { CopyButton } from '../../ui/CopyButton.tsx';
import { Menu, MenuItem, MenuLine } from '../../ui/Menu.tsx';
import { CrumbLink, PageHead } from '../../ui/Page.tsx';
import { DeleteSegmentDialog } from './DeleteSegmentDialog.tsx';
import { DetailsDialog } from './DetailsDialog.tsx';
import styles from './SegmentHead.module.css';
import { type SegmentAnswer, useRefreshSegments } from './segments-query.ts';

interface Props {
  readonly segment: SegmentAnswer;
  readonly environment: Environment | undefined;
}

/** What is the same in every environment. */
export function SegmentHead({ segment, environment }: Props) {
  const project = useProject();
  const { name, description, kind = 'standard', trafficType, tags } = segment;
  const params = { project: project.name };
  return (
    <PageHead
      title={name}
      face="name"
      within={environment?.name ?? project.name}
      crumbs={
        <>
          <CrumbLink to="/p/$project/flags" params={params}>
            {project.name}
          </CrumbLink>
          <CrumbLink to="/p/$project/segments" params={params}>
            Segments
          </CrumbLink>
        </>
      }
      beside={<CopyButton text={name} what="segment name" face="icon" />}
      tools={<SegmentMenu segment={segment} environment={environment} />}
      lead={
        <>
          {description !== '' && <p>{description}</p>}
          <p className={styles.facts}>
            <span>
              Kind <b>{kindWords[kind].name.toLowerCase()}</b>
            </span>
            <span>
              Traffic type <b>{trafficType.name}</b>
            </span>
            {(tags ?? []).map((tag) => (
              <Tag key={tag.name}>{tag.name}</Tag>
            ))}
          </p>
        </>
      }
    />
  );
}

function SegmentMenu({ segment, environment }: Props) {
  const { name, kind = 'standard', environments = [] } = segment;
  const whyNot = useWhyNot();
  const refresh = useRefreshSegments();
  const [isDeleting, setDeleting] = useState(false);
  const [isEditing, setEditing] = useState(false);
  const deactivating = useMutation<unknown, ApiProblem, Environment>({
    mutationFn: ({ id }) => deactivate({ kind, name, environment: id }),
    onSuccess: (_, where) => {
      toast(`${name} is not active in ${where.name} any more.`);
      return refresh();
    },
    onError: (problem) => toastFailure(explain(problem)),
  });
  const active = environments.filter((usage) => usage.active);
  const isActive = active.some((usage) => usage.environment.id === environment?.id);
  // Its keys go along, which takes the right to edit them wherever it is active.
  const refusal =
    whyNot(deleteSegment) ??
    active.map((usage) => whyNot(deactivateSegment, { environment: usage.environment.id })).find(Boolean);
  return (
    <>
      <Menu
        label={`More about ${name}`}
        trigger={(trigger) => (
          <Button size="icon" aria-label={`More about ${name}`} {...trigger}>
            <Ellipsis size={16} aria-hidden />
          </Button>
        )}
      >
        <MenuItem icon={Pencil} refusal={whyNot(changeSegmentDetails)} onSelect={() => setEditing(true)}>
          Edit details
        </MenuItem>
        {environment && isActive && (
          <>
            <MenuItem
              icon={CircleOff}
              refusal={whyNot(deactivateSegment, { environment: environment.id })}
              onSelect={() => deactivating.mutate(environment)}
            >
              Deactivate in {environment.name}
            </MenuItem>
            <MenuLine />
          </>
        )}
        <MenuItem icon={Trash2} look="danger" refusal={refusal} onSelect={() => setDeleting(true)}>
          Delete segment
        </MenuItem>
      </Menu>
      {isEditing && <DetailsDialog segment={segment} onClose={() => setEditing(false)} />}
      {isDeleting && <DeleteSegmentDialog segment={segment} onClose={() => setDeleting(false)} />}
    </>
  );
}
