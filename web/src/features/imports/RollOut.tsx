import { useMutation, useQuery } from '@tanstack/react-query';
import { KeyRound } from 'lucide-react';
import { useState } from 'react';
import { createApiKey } from '#contract/api-keys.ts';
import { explain } from '../../kit/explain.ts';
import { instancesInWords, useSdks } from '../../sdks/connected.ts';
import { SdkCode } from '../../sdks/SdkCode.tsx';
import { type Answer, call } from '../../server/api.ts';
import type { ApiProblem } from '../../server/api-problem.ts';
import { environmentsReading, projectReading } from '../../server/project.ts';
import { Button } from '../../ui/Button.tsx';
import { Card } from '../../ui/Card.tsx';
import { Chip } from '../../ui/Chip.tsx';
import { CopyButton } from '../../ui/CopyButton.tsx';
import { Notice } from '../../ui/Notice.tsx';
import styles from './ImportPage.module.css';
import type { Comparison } from './source.ts';

/** Points the SDKs at Burgee, one environment at a time, production last. */
export function RollOut({ environments }: Pick<Comparison, 'environments'>) {
  const sorted = environments
    .filter(({ compared }) => compared > 0)
    .toSorted((one, other) => Number(one.production) - Number(other.production));
  const [open, setOpen] = useState<string>();
  if (sorted.length === 0) return null;
  return (
    <Card
      title="Point your SDKs here"
      lead="One environment at a time, production last. The SDKs stay the same: only the key and the addresses change."
    >
      <ol className={styles.rollOut}>
        {sorted.map(({ project, environment, production }) => {
          const id = `${project} ${environment}`;
          return (
            <li key={id}>
              <div className={styles.place}>
                <b>
                  {project} / {environment}
                </b>
                {production && <Chip kind="warn">Prod</Chip>}
                <Connected project={project} environment={environment} />
                <span className={styles.push}>
                  <Button
                    size="small"
                    aria-expanded={open === id}
                    onClick={() => setOpen(open === id ? undefined : id)}
                    aria-label={`Settings for ${project} / ${environment}`}
                  >
                    {open === id ? 'Hide' : 'Settings'}
                  </Button>
                </span>
              </div>
              {/* Hidden, not removed: a key that was created is shown once. */}
              <div hidden={open !== id} className={styles.settings}>
                <Settings project={project} environment={environment} />
              </div>
            </li>
          );
        })}
      </ol>
    </Card>
  );
}

interface Place {
  readonly project: string;
  readonly environment: string;
}

function Connected(place: Place) {
  const live = useSdks(place, 5_000);
  if (!live) return null;
  return live.connected + live.clients === 0 ? (
    <span className={styles.quiet}>No SDK yet</span>
  ) : (
    <Chip kind="ok" mark="dot">
      {instancesInWords(live)}
    </Chip>
  );
}

function Settings({ project, environment }: Place) {
  const found = useQuery(projectReading(project)).data?.objects[0];
  const environments = useQuery(environmentsReading(project)).data;
  const at = environments?.find(({ name }) => name === environment);
  const [keyType, setKeyType] = useState<'server_side' | 'client_side'>('server_side');
  const create = useMutation<Answer<typeof createApiKey>, ApiProblem, typeof keyType>({
    mutationFn: (apiKeyType) =>
      call(createApiKey, {
        body: {
          name: `${environment}, ${apiKeyType === 'server_side' ? 'server-side' : 'client-side'}`,
          apiKeyType,
          workspace: { id: found?.id ?? '' },
          environments: [{ id: at?.id ?? '' }],
        },
      }),
    onSuccess: (_, apiKeyType) => setKeyType(apiKeyType),
  });
  return (
    <>
      {create.data ? (
        <div className={styles.created}>
          <KeyRound size={15} strokeWidth={1.75} aria-hidden />
          <code>{create.data.key}</code>
          <span className={styles.quiet}>Created just now. Shown once.</span>
          <CopyButton text={create.data.key} what="key" />
        </div>
      ) : (
        <div className={styles.actions}>
          {(['server_side', 'client_side'] as const).map((type) => (
            <Button key={type} isBusy={create.isPending || !at || !found} onClick={() => create.mutate(type)}>
              Create a {type === 'server_side' ? 'server-side' : 'client-side'} key
            </Button>
          ))}
        </div>
      )}
      {create.error && <Notice kind="danger">{explain(create.error)}</Notice>}
      <SdkCode key={keyType} keyType={keyType} keyText={create.data?.key} />
    </>
  );
}
