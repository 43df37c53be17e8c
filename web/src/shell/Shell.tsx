import { useIsFetching, useIsMutating } from '@tanstack/react-query';
import { Outlet, useRouterState } from '@tanstack/react-router';
import { CloudOff, Menu, Search } from 'lucide-react';
import { lazy, type ReactNode, Suspense, useEffect } from 'react';
import { SignedIn } from '../features/accounts/SignedIn.tsx';
import { Toasts } from '../kit/Toasts.tsx';
import { useIsAway } from '../server/connection.ts';
import { startLive } from '../server/live.ts';
import { MeContext } from '../server/session.ts';
import { useIsSignedOut } from '../server/signed-out.ts';
import { readDraftsAgain } from '../state/drafts.ts';
import { closeOverlay, openPalette, openShortcuts, useOverlay } from '../state/overlays.ts';
import { runShortcut, usePageActions } from '../state/page-actions.ts';
import { Button, buttonClass } from '../ui/Button.tsx';
import { Mark } from '../ui/Mark.tsx';
import { Palette } from './Palette.tsx';
import { useIsRail } from './rail.ts';
import styles from './Shell.module.css';
import { ShortcutsDialog } from './ShortcutsDialog.tsx';
import { Sidebar, sidebarId } from './Sidebar.tsx';
import { useLeave } from './sign-out.ts';

const importSignedOut = () => import('../features/accounts/SignedOutDialog.tsx');
const SignedOutDialog = lazy(() => importSignedOut().then((module) => ({ default: module.SignedOutDialog })));

interface Props {
  /** Replaces the routed page. */
  readonly children?: ReactNode;
}

/** Everything around a page for signed-in users. */
export const Shell = ({ children = <Outlet /> }: Props) => (
  <SignedIn>
    {(session) => (
      <MeContext value={session}>
        <Frame>{children}</Frame>
      </MeContext>
    )}
  </SignedIn>
);

function Frame({ children }: Props) {
  const open = useOverlay();
  const isSignedOut = useIsSignedOut();
  const leave = useLeave();
  useEffect(() => {
    // Loaded ahead: by the time it is needed, a server update may have removed the file.
    const timer = setTimeout(() => void importSignedOut(), 5_000);
    return () => clearTimeout(timer);
  }, []);
  useEffect(startLive, []);
  useEffect(() => {
    // Other tabs may have changed drafts while nobody was signed in.
    readDraftsAgain(null);
    const follow = ({ key }: StorageEvent) => readDraftsAgain(key);
    addEventListener('storage', follow);
    return () => removeEventListener('storage', follow);
  }, []);
  useEffect(() => {
    addEventListener('keydown', runShortcut);
    return () => removeEventListener('keydown', runShortcut);
  }, []);
  usePageActions([
    { label: 'Search or jump to', keys: 'mod+k', isMove: true, run: openPalette },
    { label: 'Show keyboard shortcuts', keys: '?', isMove: true, run: openShortcuts },
  ]);
  return (
    <div className={useIsRail() ? styles.railed : styles.shell}>
      <a href="#main" className={`${buttonClass({})} ${styles.skip}`}>
        Skip to content
      </a>
      <ProgressLine />
      <TopBar />
      <Sidebar />
      <div className={styles.content}>
        <OfflineBar />
        <main id="main" tabIndex={-1}>
          {children}
        </main>
      </div>
      <Toasts />
      {open === 'palette' && <Palette onClose={closeOverlay} />}
      {open === 'shortcuts' && <ShortcutsDialog onClose={closeOverlay} />}
      <Suspense>{isSignedOut && <SignedOutDialog onLeave={() => void leave()} />}</Suspense>
    </div>
  );
}

/** A line at the top during navigation, changes and first loads; refetches do not show it. */
function ProgressLine() {
  const isGoing = useRouterState({ select: ({ isLoading }) => isLoading });
  const reading = useIsFetching({ predicate: ({ state }) => state.data === undefined });
  const changing = useIsMutating();
  return <div className={styles.progress} hidden={!isGoing && reading + changing === 0} />;
}

/** On narrow screens, where a button opens the navigation. */
const TopBar = () => (
  <header className={styles.top}>
    <Button look="quiet" size="icon" aria-label="Navigation" popoverTarget={sidebarId}>
      <Menu size={17} strokeWidth={1.75} aria-hidden />
    </Button>
    <Mark />
    <Button size="icon" aria-label="Search or jump to" onClick={openPalette}>
      <Search size={15} strokeWidth={1.75} aria-hidden />
    </Button>
  </header>
);

/** Shown while the server does not respond. Queries run again once it does. */
function OfflineBar() {
  const isAway = useIsAway();
  return (
    <div role="status">
      {isAway && (
        <p className={styles.offline}>
          <CloudOff size={15} strokeWidth={1.75} aria-hidden />
          No connection. Your draft is kept.
        </p>
      )}
    </div>
  );
}
