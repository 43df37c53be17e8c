import { useEffect, useState } from 'react';
import { sdks } from '../../sdks/snippets.ts';
import type { Environment } from '../../server/project.ts';
import { Button } from '../../ui/Button.tsx';
import type { Connection } from './ConnectStep.tsx';
import type { DefinitionAnswer } from './progress.ts';
import { span } from './times.ts';
import styles from './Waiting.module.css';
import { useWelcomeSearch } from './welcome-search.ts';

/** Then something is probably wrong. */
const longMs = 60_000;

interface Props {
  readonly connection: Connection;
  readonly definition: DefinitionAnswer;
  readonly environment: Environment;
}

/** Until the application connects: what was received so far, and what to check. */
export function Waiting({ connection, definition, environment }: Props) {
  const { sdk, change } = useWelcomeSearch();
  const [startedAt] = useState(Date.now);
  const now = useNow();
  const waited = Math.max(0, now - startedAt);
  const { live, created } = connection;
  const own = Object.values(created).map(({ key }) => key.slice(-4));
  const refused = live?.refused.find(
    ({ at, lastFour }) => at >= startedAt + live.clockOffset - longMs && !own.includes(lastFour),
  );
  const isLong = waited > longMs;
  const port = location.port || (location.protocol === 'https:' ? '443' : '80');
  return (
    <div className={`${styles.wait} ${isLong ? styles.long : ''}`}>
      <span className={styles.pulse} aria-hidden>
        <span className={styles.core} />
      </span>
      <p className={styles.words}>
        <strong role="status">
          {refused
            ? `A request came with another key, ending in …${refused.lastFour}`
            : 'Waiting for your application…'}
        </strong>
        <span>
          {refused
            ? 'Burgee refused it with 401. Put the key above into your code.'
            : `No SDK has used ${own.length > 0 ? 'this key' : `a key of ${environment.name}`} yet. Listening for ${span(Math.max(waited, 1_000)).replace('.0', '')}.`}
        </span>
      </p>
      {sdk !== 'curl' && (
        <div className={styles.tools}>
          <Button size="small" onClick={() => change({ sdk: 'curl' })}>
            Test with curl
          </Button>
        </div>
      )}
      <div className={styles.hints}>
        <div>
          <h3>Nothing happens?</h3>
          <p>
            Check that this machine reaches {location.hostname} on port {port}, and that all URLs are set.
          </p>
        </div>
        <div>
          <h3>401 Invalid credentials</h3>
          <p>
            The key was copied in part, or it belongs to another server. {sdks[sdk].name} needs a{' '}
            {sdks[sdk].keyType === 'server_side' ? 'server-side' : 'client-side'} key.
          </p>
        </div>
        <div>
          <h3>Ready, but control</h3>
          <p>
            The flag name has a typo, or {definition.name} is not defined in {environment.name}.
          </p>
        </div>
      </div>
    </div>
  );
}

function useNow(): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, []);
  return now;
}
