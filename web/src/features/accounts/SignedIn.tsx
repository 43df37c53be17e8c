import { useQuery } from '@tanstack/react-query';
import { Navigate, useRouter, useRouterState } from '@tanstack/react-router';
import { lazy, type ReactNode, Suspense, useState } from 'react';
import { getSetup } from '#contract/accounts.ts';
import type { SessionView } from '#domain/accounts.ts';
import { Failure } from '../../kit/Failure.tsx';
import { reading } from '../../server/api.ts';
import type { ApiProblem } from '../../server/api-problem.ts';
import { useSession } from '../../server/session.ts';
import { CentredPage } from '../../ui/CentredPage.tsx';
import { Loading } from '../../ui/Loading.tsx';
import { SetupLinkHelp } from './SetupLinkHelp.tsx';
import styles from './SignedIn.module.css';

/** Loaded on demand, because it is rarely needed. */
const SecondFactorPage = lazy(async () => ({ default: (await import('./SecondFactorPage.tsx')).SecondFactorPage }));

interface Props {
  readonly children: (session: SessionView) => ReactNode;
}

/** Requires a session. Sends everyone else to the sign-in page and back. */
export function SignedIn({ children }: Props) {
  const session = useSession();
  if (session.data) return <Admitted session={session.data}>{children}</Admitted>;
  if (session.isError) return <Unreachable problem={session.error} onRetry={session.refetch} />;
  return session.isPending ? <Opening /> : <NobodySignedIn />;
}

/** Stays until the recovery codes are saved: the session is admitted before that. */
function Admitted({ session, children }: Props & { readonly session: SessionView }) {
  const [isHeld, setHeld] = useState(false);
  if (session.mustSetUpTwoFactor && !isHeld) setHeld(true);
  if (!isHeld) return children(session);
  return (
    <Suspense fallback={<Opening />}>
      <SecondFactorPage email={session.user.email} onDone={() => setHeld(false)} />
    </Suspense>
  );
}

function NobodySignedIn() {
  const router = useRouter();
  // Captured now: during the redirect the router already reports the new address.
  const [next] = useState(router.state.location.href);
  // Someone who signs out is on the way already, with a hint about drafts that a second redirect would drop.
  const isLeaving = useRouterState({ select: ({ location }) => location.pathname === '/sign-in' });
  const setup = useQuery(reading(getSetup));
  if (setup.isPending || isLeaving) return <Opening />;
  if (setup.isError) return <Unreachable problem={setup.error} onRetry={setup.refetch} />;
  if (!setup.data.required) return <Navigate to="/sign-in" search={{ next }} replace />;
  return <CentredPage title="Burgee has no administrator yet" lead={<SetupLinkHelp />} />;
}

const Opening = () => (
  <div className={styles.late}>
    <CentredPage title="Opening Burgee">
      <Loading />
    </CentredPage>
  </div>
);

const Unreachable = (props: { readonly problem: ApiProblem; readonly onRetry: () => unknown }) => (
  <CentredPage title="Burgee is not responding">
    <Failure {...props} />
  </CentredPage>
);
