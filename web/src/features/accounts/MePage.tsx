import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useMe } from '../../server/session.ts';
import { singleKeys } from '../../state/page-actions.ts';
import { Avatar } from '../../ui/Avatar.tsx';
import { Card } from '../../ui/Card.tsx';
import { Checkbox } from '../../ui/Checkbox.tsx';
import { Chip } from '../../ui/Chip.tsx';
import { Page } from '../../ui/Page.tsx';
import { PageTitle } from '../../ui/PageTitle.tsx';
import { PlainButtonLink } from '../../ui/TextLink.tsx';
import styles from './MePage.module.css';
import { NameCard } from './NameCard.tsx';
import { PasswordCard } from './PasswordCard.tsx';
import { RemindersCard } from './RemindersCard.tsx';
import { SessionsCard } from './SessionsCard.tsx';
import { TwoFactorCard } from './TwoFactorCard.tsx';
import { WatchesCard } from './WatchesCard.tsx';

/** Your own settings: name, sign-in, sessions, mails and shortcuts. */
export function MePage() {
  const { user, administrator } = useMe();
  return (
    <Page width="narrow">
      <header className={styles.head}>
        <Avatar name={user.name} size="large" />
        <div className={styles.who}>
          <div className={styles.name}>
            <PageTitle>{user.name}</PageTitle>
            <Chip>{administrator ? 'Administrator' : 'Member'}</Chip>
          </div>
          <p className={styles.email}>{user.email}</p>
        </div>
        <div className={styles.tools}>
          <PlainButtonLink to="/admin/users/$user" params={{ user: user.id }}>
            Your groups and activity
          </PlainButtonLink>
        </div>
      </header>
      <NameCard user={user} />
      <TwoFactorCard user={user} />
      <PasswordCard user={user} />
      <SessionsCard />
      <RemindersCard />
      <WatchesCard />
      <KeyboardCard />
      <Version />
    </Page>
  );
}

function KeyboardCard() {
  const [areOn, setOn] = useState(singleKeys.areOn);
  return (
    <Card title="Keyboard" lead="Applies to this browser.">
      <Checkbox
        label="Single-key shortcuts"
        hint="Press ? on any page to list them. Turn them off if you use speech input or press keys by accident. Shortcuts with Ctrl or Cmd keep working."
        checked={areOn}
        onChange={({ target }) => {
          singleKeys.set(target.checked);
          setOn(target.checked);
        }}
      />
    </Card>
  );
}

/** The version of the server, not of the page, which may be older. */
function Version() {
  const { data } = useQuery({ queryKey: ['/health'], queryFn: askVersion, staleTime: 600_000 });
  return data === undefined ? null : <p className={styles.version}>Burgee {data}</p>;
}

async function askVersion(): Promise<string> {
  const health = (await (await fetch('/health')).json()) as { readonly version: string };
  return health.version;
}
