import { useNavigate, useSearch } from '@tanstack/react-router';
import { Suspense } from 'react';
import { patchFlag } from '#contract/flags.ts';
import { useFlag } from '../../server/flag.ts';
import { useEnvironments, useProject } from '../../server/project.ts';
import { useWhyNot } from '../../server/rights.ts';
import { lazyPart } from '../../state/lazy.ts';
import { Button } from '../../ui/Button.tsx';
import { Card } from '../../ui/Card.tsx';
import { CopyButton } from '../../ui/CopyButton.tsx';
import { Notice } from '../../ui/Notice.tsx';
import { Time } from '../../ui/Time.tsx';
import { DeleteFlagsDialog, useWhyNotDelete } from './DeleteFlagsDialog.tsx';
import { DetailsForm } from './DetailsForm.tsx';
import styles from './FlagDetailsPage.module.css';

const CodePlaces = lazyPart('CodePlaces', () => import('./CodePlaces.tsx'));
const Relations = lazyPart('Relations', () => import('./Relations.tsx'));

/** The details of a flag, apart from its definitions. */
export function FlagDetailsPage() {
  const flag = useFlag();
  const refusal = useWhyNot()(patchFlag, flag);
  return (
    <div className={styles.details}>
      <h2 className="sr">Details</h2>
      {refusal !== undefined && <Notice kind="plain">{refusal}</Notice>}
      <DetailsForm key={flag.id} refusal={refusal} />
      <Suspense>
        <Relations />
      </Suspense>
      <Suspense>
        <CodePlaces />
      </Suspense>
      <Facts />
      <DeleteCard />
    </div>
  );
}

function Facts() {
  const { creationTime, id } = useFlag();
  return (
    <Card title="About">
      <dl className={styles.facts}>
        <dt>Created</dt>
        <dd>
          <Time at={creationTime} />
        </dd>
        <dt>Id</dt>
        <dd className={styles.id}>
          <code>{id}</code> <CopyButton text={id} what="id" face="icon" />
        </dd>
      </dl>
    </Card>
  );
}

function DeleteCard() {
  const project = useProject();
  const navigate = useNavigate();
  const flag = useFlag();
  const { name, definitions } = flag;
  const refusal = useWhyNotDelete()(flag);
  const { delete: asked }: { delete?: string } = useSearch({ strict: false });
  const setAsking = (isAsked: boolean) =>
    void navigate({ to: '.', search: isAsked ? { delete: '' } : {}, replace: !isAsked });
  const environments = useEnvironments().filter(({ id }) =>
    definitions.some(({ environment }) => environment.id === id),
  );
  const places = environments.map((environment) => environment.name).join(', ');
  return (
    <Card
      title="Delete"
      lead={
        environments.length === 0
          ? 'It is not defined in any environment.'
          : `It is defined in ${places}. If you delete it, everyone there gets control. Archiving does the same, but keeps its name and definitions.`
      }
    >
      <div>
        <Button look="danger" refusal={refusal} onClick={() => setAsking(true)}>
          Delete flag
        </Button>
      </div>
      {asked !== undefined && refusal === undefined && (
        <DeleteFlagsDialog
          flags={[{ name, environments }]}
          onClose={() => setAsking(false)}
          onDone={() => void navigate({ to: '/p/$project/flags', params: { project: project.name } })}
        />
      )}
    </Card>
  );
}
