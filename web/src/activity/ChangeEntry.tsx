import { ChevronDown } from 'lucide-react';
import { lazy, Suspense, useId, useState } from 'react';
import type { Change } from '#domain/changes.ts';
import { RestoreDeleted } from '../kit/RestoreDeleted.tsx';
import { ProdChip } from '../kit/StatusChip.tsx';
import { Button } from '../ui/Button.tsx';
import { Tag } from '../ui/Chip.tsx';
import { Loading } from '../ui/Loading.tsx';
import styles from './ChangeEntry.module.css';
import { ChangeActor, ChangeObject, ProjectName } from './ChangeNames.tsx';
import { ChangeSummary } from './ChangeSummary.tsx';
import { clockOf } from './days.ts';
import { formerNameOf, useEnvironmentOf } from './environment-of.ts';
import { sentenceOf } from './sentences.ts';

const ChangeDetails = lazy(() =>
  import('./ChangeDetails.tsx').then(({ ChangeDetails }) => ({ default: ChangeDetails })),
);

interface Props {
  readonly change: Change;
  readonly namesProject: boolean;
}

const exact = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' });

/** One audit entry: who did what, why, and what changed. */
export function ChangeEntry({ change, namesProject }: Props) {
  const { createdAt, title, comment, editor } = change;
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  const hasDetails = change.before !== undefined || change.after !== undefined;
  return (
    <li className={change.auditLogType === 'definition.killed' ? `${styles.entry} ${styles.kill}` : styles.entry}>
      <ChangeActor editor={editor} />
      <div className={styles.body}>
        <p className={styles.sentence}>
          <ChangeActor editor={editor} face="name" /> <Sentence change={change} />
          {namesProject && !isProject(change) && <ProjectName id={change.workspaceId} />}
        </p>
        {title !== undefined && title !== change.object.name && <p className={styles.title}>{title}</p>}
        {comment !== undefined && <p className={styles.comment}>{comment}</p>}
        <ChangeSummary change={change} />
        <Restore change={change} />
      </div>
      <div className={styles.aside}>
        <time className={styles.time} dateTime={new Date(createdAt).toISOString()} title={exact.format(createdAt)}>
          {clockOf(createdAt)}
        </time>
        {hasDetails && (
          <Button
            look="quiet"
            size="tiny"
            aria-label="Change details"
            aria-expanded={isOpen}
            aria-controls={isOpen ? id : undefined}
            onClick={() => setOpen(!isOpen)}
          >
            <ChevronDown size={14} aria-hidden />
          </Button>
        )}
      </div>
      {isOpen && (
        <div id={id} className={styles.details}>
          <Suspense fallback={<Loading lines={2} />}>
            <ChangeDetails change={change} />
          </Suspense>
        </div>
      )}
    </li>
  );
}

function Restore({ change: { auditLogType, workspaceId, object, before } }: { readonly change: Change }) {
  const isFlag = auditLogType === 'flag.deleted';
  if (workspaceId === undefined || (!isFlag && auditLogType !== 'segment.deleted')) return null;
  const hadKeys = !isFlag && (before as { readonly kind?: string } | undefined)?.kind !== 'rule_based';
  return (
    <p>
      <RestoreDeleted
        project={workspaceId}
        type={isFlag ? 'flag' : 'segment'}
        object={object}
        isWithoutKeys={hadKeys}
      />
    </p>
  );
}

/** The sentence already names the project. */
const isProject = ({ object }: Change): boolean => object.type === 'workspace' || object.type === 'restriction';

const Sentence = ({ change }: { readonly change: Change }) =>
  sentenceOf(change).map((part) => {
    if (part === 'object') return <ChangeObject key="object" change={change} />;
    if (part === 'environment') return <EnvironmentChip key="environment" change={change} />;
    return <span key={part.words}>{part.words}</span>;
  });

/** Where a definition was changed. A deleted environment is shown by its former name. */
function EnvironmentChip({ change }: { readonly change: Change }) {
  const environment = useEnvironmentOf(change);
  return (
    <span className={styles.where}>
      <Tag>{environment?.name ?? formerNameOf(change) ?? 'an environment'}</Tag>
      {environment?.production && (
        <>
          {' '}
          <ProdChip />
        </>
      )}
    </span>
  );
}
