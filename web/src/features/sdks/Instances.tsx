import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { getSdks } from '#contract/sdks.ts';
import { type Convergence, isConnected, isSilent } from '#domain/sdks.ts';
import { Loaded } from '../../kit/Loaded.tsx';
import { isOverHttp } from '../../sdks/connected.ts';
import { reading } from '../../server/api.ts';
import { type Environment, useProject } from '../../server/project.ts';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { Skeleton, SkeletonRows } from '../../ui/Skeleton.tsx';
import { PrimaryButtonLink } from '../../ui/TextLink.tsx';
import { Connections } from './Connections.tsx';
import { useConvergence } from './convergence.ts';
import styles from './Instances.module.css';
import { InstanceTable } from './InstanceTable.tsx';
import { LastChange } from './LastChange.tsx';
import { Versions } from './Versions.tsx';

interface Props {
  readonly environment: Environment;
}

const askAgainMs = 5_000;

/** Has everybody got it? */
export function Instances({ environment }: Props) {
  const convergence = useConvergence(environment);
  return (
    <Loaded
      query={convergence}
      skeleton={
        <>
          <Skeleton height={320} />
          <SkeletonRows rows={4} />
        </>
      }
    >
      {(found) => <Found environment={environment} convergence={found} />}
    </Loaded>
  );
}

function Found({ environment, convergence }: Props & { readonly convergence: Convergence }) {
  const params = { project: useProject().id, environment: environment.id };
  const sdks = useQuery({ ...reading(getSdks, { params }), refetchInterval: askAgainMs });
  const { instances, converged, changeNumber, silent, clients } = convergence;
  const { refetch } = sdks;
  // The table says the same as the headline.
  // biome-ignore lint/correctness/useExhaustiveDependencies: asks again when one of them changes
  useEffect(() => void refetch({ cancelRefetch: false }), [refetch, changeNumber, converged, instances]);
  if (instances + silent + clients === 0 && sdks.data?.connected === 0) return <NoneYet environment={environment} />;
  return (
    <>
      {instances + silent > 0 && <LastChange environment={environment} convergence={convergence} />}
      <Loaded query={sdks} skeleton={<SkeletonRows rows={4} />}>
        {({ sdks: all, serverTime }) => {
          const present = all.filter(
            (sdk) => !isOverHttp(sdk) && (isConnected(sdk, serverTime) || isSilent(sdk, serverTime)),
          );
          const servers = present.filter(({ isClientSide = false }) => !isClientSide);
          return (
            <>
              <div className={styles.pair}>
                <Versions sdks={present} />
                <Connections sdks={servers} clients={clients} serverTime={serverTime} />
              </div>
              {servers.length > 0 && <InstanceTable sdks={servers} convergence={convergence} />}
            </>
          );
        }}
      </Loaded>
    </>
  );
}

const NoneYet = ({ environment }: Props) => (
  <EmptyState
    title={`No SDK is connected to ${environment.name}`}
    action={
      <PrimaryButtonLink to="/welcome" search={{ env: environment.name }}>
        Getting started
      </PrimaryButtonLink>
    }
  >
    Applications appear here as soon as they ask for flags. Burgee remembers them in memory, so after a restart they
    appear with their next request.
  </EmptyState>
);
