import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { signOut } from '#contract/accounts.ts';
import type { SessionView } from '#domain/accounts.ts';
import { type ApiProblem, call } from '../../api.ts';
import { forgetSession } from '../../session.ts';
import { Button } from '../../ui/Button.tsx';
import { Chip } from '../../ui/Chip.tsx';
import { Failure } from '../../ui/Failure.tsx';
import { PageTitle } from '../../ui/PageTitle.tsx';
import { WidePage } from '../../ui/WidePage.tsx';
import styles from './HomePage.module.css';
import { PasswordCard } from './PasswordCard.tsx';
import { SessionsCard } from './SessionsCard.tsx';
import { SignedIn } from './SignedIn.tsx';
import { TwoFactorCard } from './TwoFactorCard.tsx';
import { WaitingMailsCard } from './WaitingMailsCard.tsx';

export const HomePage = () => <SignedIn>{(session) => <Home session={session} />}</SignedIn>;

function Home({ session: { user, administrator } }: { readonly session: SessionView }) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const leaving = useMutation<unknown, ApiProblem>({
    mutationFn: () => call(signOut),
    onSuccess: async () => {
      forgetSession(client);
      await navigate({ to: '/sign-in' });
      client.removeQueries({ type: 'inactive' });
    },
  });
  return (
    <WidePage
      bar={
        <Button isBusy={leaving.isPending} onClick={() => leaving.mutate()}>
          Sign out
        </Button>
      }
    >
      <header className={styles.head}>
        <span className={styles.avatar} aria-hidden>
          {initialsOf(user.name)}
        </span>
        <div className={styles.who}>
          <div className={styles.name}>
            <PageTitle>{user.name}</PageTitle>
            <Chip>{administrator ? 'Administrator' : 'Member'}</Chip>
          </div>
          <p className={styles.email}>{user.email}</p>
        </div>
      </header>
      {leaving.error && <Failure problem={leaving.error} />}
      <p className={styles.next}>
        Flags are managed through the API for now. <a href="/docs">Read how to call it</a>
      </p>
      <TwoFactorCard user={user} />
      <PasswordCard user={user} />
      <SessionsCard />
      {administrator && <WaitingMailsCard />}
    </WidePage>
  );
}

const initialsOf = (name: string): string => {
  const words = name.split(/[\s.]+/).filter(Boolean);
  return [words[0], words.length > 1 ? words.at(-1) : undefined]
    .map((word) => Array.from(word ?? '')[0] ?? '')
    .join('')
    .toUpperCase();
};
