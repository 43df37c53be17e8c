import type { CSSProperties } from 'react';
import { type ConnectedSdk, isConnected } from '#domain/sdks.ts';
import { Card } from '../../ui/Card.tsx';
import styles from './Connections.module.css';
import { errorsInWords, nameAndVersion, number } from './fleet.ts';

interface Props {
  /** With server-side keys. */
  readonly sdks: readonly ConnectedSdk[];
  /** How many browsers and apps are connected. */
  readonly clients: number;
  readonly serverTime: number;
}

const maxErrors = 3;

/** How SDKs get changes, and what they had trouble with. */
export function Connections({ sdks, clients, serverTime }: Props) {
  const connected = sdks.filter((sdk) => isConnected(sdk, serverTime));
  const streaming = connected.filter(({ streams }) => streams > 0).length;
  const counts = { streaming, polling: connected.length - streaming };
  const troubled = sdks.flatMap((sdk) => {
    const errors = sdk.reported ? errorsInWords(sdk.reported) : '';
    return errors === '' ? [] : [{ ...sdk, errors }];
  });
  return (
    <Card title="Streaming or polling">
      {connected.length > 0 && (
        <>
          <div className={styles.bar} aria-hidden>
            {(['streaming', 'polling'] as const).map(
              (how) =>
                counts[how] > 0 && (
                  <span key={how} className={styles[how]} style={{ flexGrow: counts[how] } satisfies CSSProperties} />
                ),
            )}
          </div>
          <ul className={styles.legend}>
            <li>
              <span className={`${styles.swatch} ${styles.streaming}`} aria-hidden />
              <b className="num">{number(counts.streaming)}</b> streaming: changes arrive at once
            </li>
            <li>
              <span className={`${styles.swatch} ${styles.polling}`} aria-hidden />
              <b className="num">{number(counts.polling)}</b> polling: changes arrive with the next poll
            </li>
          </ul>
        </>
      )}
      <p className={styles.quiet}>
        {clients === 0
          ? 'No browsers or apps are connected.'
          : `Browsers and apps are only counted: ${number(clients)} connected.`}
      </p>
      <div className={styles.errors}>
        <h3>Errors in their last reports</h3>
        {troubled.length === 0 ? (
          <p className={styles.quiet}>None. SDKs report once an hour, and when they stop.</p>
        ) : (
          <ul>
            {troubled.slice(0, maxErrors).map(({ sdk, machine, errors }) => (
              <li key={`${sdk} ${machine}`} className={styles.quiet}>
                <span className="mono">{machine ?? nameAndVersion(sdk).join(' ')}</span>: {errors}
              </li>
            ))}
            {troubled.length > maxErrors && (
              <li className={styles.quiet}>{number(troubled.length - maxErrors)} more in the table below</li>
            )}
          </ul>
        )}
      </div>
    </Card>
  );
}
