import { useRouter, useSearch } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useSession } from '../../server/session.ts';
import { CentredPage } from '../../ui/CentredPage.tsx';
import { TextLink } from '../../ui/TextLink.tsx';
import type { Credentials } from './CodeForm.tsx';
import { PasswordForm } from './PasswordForm.tsx';
import { SecondFactorStep } from './SecondFactorStep.tsx';

/** In the address: `next` is the page to return to after signing in, `drafts` says that some stay behind. */
export function SignInPage() {
  const { next = '/', drafts } = useSearch({ from: '/sign-in' });
  const router = useRouter();
  const { data: session } = useSession();
  const [credentials, setCredentials] = useState<Credentials>();

  useEffect(() => {
    if (!session) return;
    const [, , page] = router.getMatchedRoutes(next.replace(/[?#].*$/s, ''));
    // Paths outside the interface, such as /docs, are served by the server.
    if (page) router.history.replace(next);
    else location.replace(next);
  }, [session, next, router]);

  if (credentials) {
    return <SecondFactorStep credentials={credentials} onBack={() => setCredentials(undefined)} />;
  }
  return (
    <CentredPage
      title="Sign in"
      lead={drafts && 'You are signed out. Your unsaved changes are still in this browser: sign in to continue.'}
      below={<TextLink to="/forgot">Forgot your password?</TextLink>}
    >
      <PasswordForm onCodeRequired={setCredentials} />
    </CentredPage>
  );
}
