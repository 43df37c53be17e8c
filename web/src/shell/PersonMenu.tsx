import { BookOpen, Keyboard, LogOut, Sparkles, User } from 'lucide-react';
import { useMe } from '../server/session.ts';
import { openShortcuts } from '../state/overlays.ts';
import { Avatar } from '../ui/Avatar.tsx';
import { Menu, MenuItem, MenuLine, MenuLink } from '../ui/Menu.tsx';
import { ThemeSwitch } from '../ui/ThemeSwitch.tsx';
import styles from './PersonMenu.module.css';
import { useSignOut } from './sign-out.ts';

/** The user menu at the bottom of the navigation. */
export function PersonMenu() {
  const { user } = useMe();
  const signOut = useSignOut();
  return (
    <div className={styles.foot}>
      <Menu
        label={user.name}
        align="start"
        trigger={(trigger) => (
          <button type="button" className={styles.person} {...trigger}>
            <Avatar name={user.name} />
            <span className={styles.name}>{user.name}</span>
          </button>
        )}
      >
        <MenuLink to="/me" icon={User}>
          You
        </MenuLink>
        <MenuLink to="/welcome" icon={Sparkles}>
          Getting started
        </MenuLink>
        <MenuItem icon={Keyboard} onSelect={openShortcuts}>
          Shortcuts
        </MenuItem>
        <MenuItem icon={BookOpen} onSelect={() => location.assign('/docs')}>
          API reference
        </MenuItem>
        <MenuLine />
        <MenuItem icon={LogOut} onSelect={signOut}>
          Sign out
        </MenuItem>
      </Menu>
      <ThemeSwitch />
    </div>
  );
}
