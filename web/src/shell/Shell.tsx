import { Outlet } from '@tanstack/react-router';
import { lazy, type ReactNode, Suspense, useEffect } from 'react';
import { SignedIn } from '../features/accounts/SignedIn.tsx';
import { Toasts } from '../kit/Toasts.tsx';
import { MeContext } from '../server/session.ts';
import { useIsSignedOut } from '../server/signed-out.ts';
import { closeOverlay, openPalette, openShortcuts, useOverlay } from '../state/overlays.ts';
import { runShortcut, usePageActions } from '../state/page-actions.ts';
import { buttonClass } from '../ui/Button.tsx';
import { OfflineBar } from './OfflineBar.tsx';
import { Palette } from './Palette.tsx';
import { ProgressLine } from './ProgressLine.tsx';
import styles from './Shell.module.css';
import { ShortcutsDialog } from './ShortcutsDialog.tsx';
import { Sidebar } from './Sidebar.tsx';
import { useLeave } from './sign-out.ts';
import { TopBar } from './TopBar.tsx';

const importSignedOut = () => import('../features/accounts/SignedOutDialog.tsx');
const SignedOutDialog = lazy(() => importSignedOut().then((module) => ({ default: module.SignedOutDialog })));

interface Props {
  /** Instead of the page that the address asks for. */
  readonly children?: ReactNode;
}

/** Everything around a page of somebody who is signed in. */
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
    // Before it is needed: by then the server may have been updated, and the file be gone.
    const timer = setTimeout(() => void importSignedOut(), 5_000);
    return () => clearTimeout(timer);
  }, []);
  useEffect(() => {
    addEventListener('keydown', runShortcut);
    return () => removeEventListener('keydown', runShortcut);
  }, []);
  usePageActions([
    { label: 'Search or jump to', keys: 'mod+k', isMove: true, run: openPalette },
    { label: 'Show the shortcuts', keys: '?', isMove: true, run: openShortcuts },
  ]);
  return (
    <div className={styles.shell}>
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
