import { useNavigate } from '@tanstack/react-router';
import { Archive, ArchiveRestore, Copy, CopyPlus, Ellipsis, Link2, Power, Trash2, X } from 'lucide-react';
import { deleteDefinition, killDefinition } from '#contract/definitions.ts';
import { archiveFlag, createFlag } from '#contract/flags.ts';
import { OwnerNames } from '../../../kit/OwnerNames.tsx';
import { useFlag } from '../../../server/flag.ts';
import { type Environment, useProject } from '../../../server/project.ts';
import { useWhyNot } from '../../../server/rights.ts';
import { toast } from '../../../state/toasts.ts';
import { Button } from '../../../ui/Button.tsx';
import { Tag } from '../../../ui/Chip.tsx';
import { copyText } from '../../../ui/copy-text.ts';
import { Menu, MenuItem, MenuLine, MenuLink } from '../../../ui/Menu.tsx';
import { CrumbLink, PageHead } from '../../../ui/Page.tsx';
import { useSaved } from '../editing/definitions.ts';
import { useDialogs } from '../editing/dialogs.ts';
import styles from './FlagHead.module.css';
import { RolloutStatus } from './RolloutStatus.tsx';
import { WatchButton } from './WatchButton.tsx';

const copied = (text: string, what: string) => void copyText(text).then(() => toast(`Copied ${what}.`));

interface HeadProps {
  /** The view and the environment, for the document title. */
  readonly within: string;
  readonly environment: Environment | undefined;
}

/** The head of a flag page: what is the same in every environment. */
export function FlagHead({ within, environment }: HeadProps) {
  const project = useProject();
  const { name, description, trafficType, owners, tags } = useFlag();
  const params = { project: project.name, flag: name };
  return (
    <PageHead
      title={name}
      face="name"
      within={within}
      crumbs={
        <>
          <CrumbLink to="/p/$project/flags" params={params}>
            {project.name}
          </CrumbLink>
          <CrumbLink to="/p/$project/flags" params={params}>
            Flags
          </CrumbLink>
        </>
      }
      beside={
        <Button look="quiet" size="tiny" aria-label="Copy flag name" onClick={() => copied(name, 'the name')}>
          <Copy size={14} aria-hidden />
        </Button>
      }
      tools={
        <>
          <RolloutStatus />
          <WatchButton />
          <Menu
            label={`More about ${name}`}
            trigger={(trigger) => (
              <Button size="icon" aria-label={`More about ${name}`} {...trigger}>
                <Ellipsis size={16} aria-hidden />
              </Button>
            )}
          >
            <MenuItem icon={Link2} onSelect={() => copied(location.href, 'the link')}>
              Copy link
            </MenuItem>
            <DuplicateItem />
            <MenuLine />
            <KillAllItem />
            <ArchiveItem />
            {environment && <RemoveItem environment={environment} />}
            <MenuLink icon={Trash2} to="/p/$project/flags/$flag/details" params={params} search={{ delete: '' }}>
              Delete
            </MenuLink>
          </Menu>
        </>
      }
      lead={
        <>
          {description !== '' && <p>{description}</p>}
          <p className={styles.facts}>
            <span>
              Traffic type <b>{trafficType.name}</b>
            </span>
            {owners.length > 0 && (
              <span>
                {owners.length === 1 ? 'Owner' : 'Owners'}{' '}
                <b>
                  <OwnerNames owners={owners} />
                </b>
              </span>
            )}
            {tags?.map((tag) => (
              <Tag key={tag.name}>{tag.name}</Tag>
            ))}
          </p>
        </>
      }
    />
  );
}

function DuplicateItem() {
  const dialogs = useDialogs();
  const refusal = useWhyNot()(createFlag);
  return (
    <MenuItem icon={CopyPlus} refusal={refusal} onSelect={() => dialogs.open('duplicate')}>
      Duplicate
    </MenuItem>
  );
}

function KillAllItem() {
  const { owners, definitions } = useFlag();
  const whyNot = useWhyNot();
  const dialogs = useDialogs();
  const live = definitions.filter(({ killed }) => !killed);
  if (live.length < 2) return null;
  const refusals = live.map(({ environment }) => whyNot(killDefinition, { owners, environment: environment.id }));
  const refusal = refusals.includes(undefined) ? undefined : refusals[0];
  return (
    <MenuItem icon={Power} look="danger" refusal={refusal} onSelect={() => dialogs.open('kill-all')}>
      Kill everywhere
    </MenuItem>
  );
}

/** It takes the right to edit each definition. */
function ArchiveItem() {
  const { owners, definitions, archivedAt } = useFlag();
  const whyNot = useWhyNot();
  const dialogs = useDialogs();
  const refusal =
    whyNot(archiveFlag, { owners }) ??
    definitions
      .map(({ environment }) => whyNot(deleteDefinition, { owners, environment: environment.id }))
      .find(Boolean);
  return archivedAt === undefined ? (
    <MenuItem icon={Archive} refusal={refusal} onSelect={() => dialogs.open('archive')}>
      Archive
    </MenuItem>
  ) : (
    <MenuItem icon={ArchiveRestore} refusal={refusal} onSelect={() => dialogs.open('unarchive')}>
      Unarchive
    </MenuItem>
  );
}

/** Its dialog is part of the targeting. */
function RemoveItem({ environment: { id, name } }: { readonly environment: Environment }) {
  const { owners, name: flag } = useFlag();
  const params = { project: useProject().name, flag, environment: name };
  const navigate = useNavigate();
  const refusal = useWhyNot()(deleteDefinition, { owners, environment: id });
  const isDefined = useSaved(id) !== undefined;
  if (!isDefined) return null;
  const open = () => void navigate({ to: '/p/$project/flags/$flag/$environment', params, search: { remove: '' } });
  return (
    <MenuItem icon={X} look="danger" refusal={refusal} onSelect={open}>
      Remove from {name}
    </MenuItem>
  );
}
