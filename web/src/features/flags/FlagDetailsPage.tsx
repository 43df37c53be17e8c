import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Fragment, useState } from 'react';
import { patchFlag } from '#contract/flags.ts';
import { getGroup } from '#contract/groups.ts';
import { getUser } from '#contract/users.ts';
import { FlagCrumbs } from '../../kit/FlagCrumbs.tsx';
import { reading } from '../../server/api.ts';
import { type FlagAnswer, useFlag } from '../../server/flag.ts';
import { useEnvironments, useProject } from '../../server/project.ts';
import { useWhyNot } from '../../server/rights.ts';
import { useMay } from '../../server/session.ts';
import { Button } from '../../ui/Button.tsx';
import { Card } from '../../ui/Card.tsx';
import { CopyButton } from '../../ui/CopyButton.tsx';
import { Notice } from '../../ui/Notice.tsx';
import { Page, PageHead } from '../../ui/Page.tsx';
import { Time } from '../../ui/Time.tsx';
import { DeleteFlagsDialog, useWhyNotDelete } from './DeleteFlagsDialog.tsx';
import { DetailsForm } from './DetailsForm.tsx';
import styles from './FlagDetailsPage.module.css';

/** The details of a flag, apart from its definitions. */
export function FlagDetailsPage() {
  const flag = useFlag();
  const refusal = useWhyNot()(patchFlag, flag);
  return (
    <Page width="narrow">
      <PageHead title="Details" within={flag.name} crumbs={<FlagCrumbs />} />
      {refusal !== undefined && <Notice kind="plain">{refusal}</Notice>}
      <DetailsForm key={flag.id} refusal={refusal} />
      <Facts />
      <DeleteCard />
    </Page>
  );
}

function Facts() {
  const { name, trafficType, creationTime, owners, id } = useFlag();
  return (
    <Card title="About">
      <dl className={styles.facts}>
        <dt>Name</dt>
        <dd className={styles.id}>
          <code>{name}</code> <CopyButton text={name} what="name" face="icon" />
        </dd>
        <dt>Traffic type</dt>
        <dd>{trafficType.name}</dd>
        <dt>Owner</dt>
        <dd>
          {owners.length === 0 && 'None: created by an API key'}
          {owners.map((owner, index) => (
            <Fragment key={owner.id}>
              {index > 0 && ', '}
              <OwnerName {...owner} />
            </Fragment>
          ))}
        </dd>
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

/** Looked up one by one, so that none is missing. Deleted owners show their id. */
function OwnerName({ id, type }: FlagAnswer['owners'][number]) {
  const may = useMay();
  const lookUp = { staleTime: 600_000, retry: false };
  const isUser = type === 'user';
  const user = useQuery({ ...reading(getUser, { params: { user: id } }), ...lookUp, enabled: isUser && may(getUser) });
  const group = useQuery({
    ...reading(getGroup, { params: { group: id } }),
    ...lookUp,
    enabled: !isUser && may(getGroup),
  });
  const { data, isLoading } = isUser ? user : group;
  return data?.name ?? (isLoading ? '…' : id);
}

function DeleteCard() {
  const project = useProject();
  const navigate = useNavigate();
  const flag = useFlag();
  const { name, definitions } = flag;
  const refusal = useWhyNotDelete()(flag);
  const [isAsking, setAsking] = useState(false);
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
          : `It is defined in ${places}. If you delete it, everyone there gets control.`
      }
    >
      <div>
        <Button look="danger" refusal={refusal} onClick={() => setAsking(true)}>
          Delete flag
        </Button>
      </div>
      {isAsking && (
        <DeleteFlagsDialog
          flags={[{ name, environments }]}
          onClose={() => setAsking(false)}
          onDone={() => void navigate({ to: '/p/$project/flags', params: { project: project.name } })}
        />
      )}
    </Card>
  );
}
