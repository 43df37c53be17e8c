import { prefix } from '#contract/parts.ts';
import { CopyableId } from '../../administration/CopyableId.tsx';
import { Fact, Facts } from '../../administration/Facts.tsx';
import { Card } from '../../ui/Card.tsx';
import styles from './ApiCard.module.css';

/** Where programs find the server. */
export function ApiCard() {
  const address = location.origin + prefix;
  return (
    <Card title="API" lead="Manage flags, people and projects from your own programs, with an API key.">
      <Facts>
        <Fact name="Address">
          <CopyableId id={address} what="address" />
        </Fact>
        <Fact name="Reference">
          <a href="/docs" className={styles.link}>
            Read about and try every call
          </a>
        </Fact>
      </Facts>
    </Card>
  );
}
