import { Menu, Search } from 'lucide-react';
import { openPalette } from '../state/overlays.ts';
import { Button } from '../ui/Button.tsx';
import { Mark } from '../ui/Mark.tsx';
import { sidebarId } from './Sidebar.tsx';
import styles from './TopBar.module.css';

/** On narrow screens, where the navigation opens from a button. */
export const TopBar = () => (
  <header className={styles.bar}>
    <Button look="quiet" size="icon" aria-label="Navigation" popoverTarget={sidebarId}>
      <Menu size={17} strokeWidth={1.75} aria-hidden />
    </Button>
    <Mark />
    <Button size="icon" aria-label="Search or jump to" onClick={openPalette}>
      <Search size={15} strokeWidth={1.75} aria-hidden />
    </Button>
  </header>
);
