import { useLocation } from '@tanstack/react-router';
import { lazy, Suspense, useContext } from 'react';
import { MeContext, useSession } from '../server/session.ts';
import { openPalette } from '../state/overlays.ts';
import { Button } from '../ui/Button.tsx';
import { CentredPage } from '../ui/CentredPage.tsx';
import { EmptyState } from '../ui/EmptyState.tsx';
import { Page, PageHead } from '../ui/Page.tsx';
import { ButtonLink, PrimaryButtonLink } from '../ui/TextLink.tsx';

const Shell = lazy(() => import('./Shell.tsx').then(({ Shell }) => ({ default: Shell })));

const title = 'Page not found';

/** With the navigation if someone is signed in. */
export function NotFoundPage() {
  const isInShell = useContext(MeContext) !== null;
  const { data: session } = useSession();
  if (isInShell) return <NotFoundInShell />;
  if (!session) return <NotFoundOutside />;
  return (
    <Suspense>
      <Shell>
        <NotFoundInShell />
      </Shell>
    </Suspense>
  );
}

function NotFoundOutside() {
  return (
    <CentredPage title={title} lead={<Nothing />}>
      <ButtonLink to="/">Go to the start page</ButtonLink>
    </CentredPage>
  );
}

const NotFoundInShell = () => (
  <Page>
    <PageHead title={title} />
    <EmptyState
      title="The address may be outdated or mistyped"
      action={
        <>
          <PrimaryButtonLink to="/">Go to flags</PrimaryButtonLink>
          <Button onClick={openPalette}>Search or jump to</Button>
        </>
      }
    >
      <Nothing />
    </EmptyState>
  </Page>
);

function Nothing() {
  const path = useLocation({ select: ({ pathname }) => pathname });
  return (
    <p>
      There is nothing at <code>{path}</code>.
    </p>
  );
}
