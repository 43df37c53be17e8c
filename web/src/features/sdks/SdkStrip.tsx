import { NoBar } from '../../kit/Bar.tsx';
import { Strip, StripCard, StripContent } from '../../kit/Strip.tsx';
import { instancesInWords } from '../../sdks/connected.ts';
import { type Environment, useProject } from '../../server/project.ts';
import { useConvergence } from './convergence.ts';
import { number } from './fleet.ts';
import styles from './SdkStrip.module.css';
import { States } from './Squares.tsx';

interface Props {
  /** The id of the environment of the page. */
  readonly current: string | undefined;
  readonly tab: 'instances' | 'events';
}

/** The instances in every environment. */
export const SdkStrip = ({ current, tab }: Props) => (
  <Strip
    current={current}
    card={(environment) => (
      <Card key={environment.id} environment={environment} isCurrent={environment.id === current} tab={tab} />
    )}
  />
);

interface CardProps {
  readonly environment: Environment;
  readonly isCurrent: boolean;
  readonly tab: Props['tab'];
}

function Card({ environment, isCurrent, tab }: CardProps) {
  const project = useProject();
  const { data } = useConvergence(environment);
  const { instances = 0, converged = 0, silent = 0, clients = 0 } = data ?? {};
  const behind = instances - converged + silent;
  return (
    <StripCard
      to={tab === 'events' ? '/p/$project/sdks/$environment/events' : '/p/$project/sdks/$environment'}
      params={{ project: project.name, environment: environment.name }}
      activeProps={{}}
      isCurrent={isCurrent}
      isEmpty={data !== undefined && instances + silent + clients === 0}
    >
      <StripContent
        environment={environment}
        picture={
          instances + silent > 0 ? (
            <States converged={converged} behind={instances - converged} silent={silent} size="thin" />
          ) : (
            <NoBar />
          )
        }
        summary={
          data && (
            <>
              <span>{instancesInWords({ connected: instances, clients })}</span>
              {instances + silent > 0 && (
                <span className={styles.state}>{behind === 0 ? 'all current' : `${number(behind)} behind`}</span>
              )}
            </>
          )
        }
        changedAt={undefined}
      />
    </StripCard>
  );
}
