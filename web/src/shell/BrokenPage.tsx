import { useContext } from 'react';
import { MeContext } from '../server/session.ts';
import { Button } from '../ui/Button.tsx';
import { CentredPage } from '../ui/CentredPage.tsx';
import { EmptyState } from '../ui/EmptyState.tsx';
import { Page, PageHead } from '../ui/Page.tsx';

const title = 'This page could not be shown';
const reason = 'The server may have been updated.';
const reload = () => location.reload();

/** Shown if a page throws or its code cannot be loaded, for example because a server update removed the old files. */
export function BrokenPage() {
  const isInShell = useContext(MeContext) !== null;
  if (isInShell) {
    return (
      <Page>
        <PageHead title={title} />
        <EmptyState title={reason} action={<Button onClick={reload}>Reload</Button>} />
      </Page>
    );
  }
  return (
    <CentredPage title={title} lead={reason}>
      <Button look="primary" size="wide" onClick={reload}>
        Reload
      </Button>
    </CentredPage>
  );
}
