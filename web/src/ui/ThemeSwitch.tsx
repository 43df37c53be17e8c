import { Monitor, Moon, Sun } from 'lucide-react';
import { useState } from 'react';
import { Button } from './Button.tsx';
import { Menu, MenuItem } from './Menu.tsx';

const themes = [
  { id: 'light', label: 'Light', icon: Sun },
  { id: 'dark', label: 'Dark', icon: Moon },
  { id: 'system', label: 'As the system', icon: Monitor },
] as const;
type Theme = (typeof themes)[number]['id'];

const root = document.documentElement;

/** Stored in this browser. `public/theme.js` applies it on load; without a choice, CSS follows the system. */
export function ThemeSwitch() {
  const [chosen, setChosen] = useState(root.dataset.theme ?? 'system');
  const Icon = themes.find(({ id }) => id === chosen)?.icon ?? Monitor;
  const choose = (theme: Theme) => {
    setChosen(theme);
    if (theme === 'system') {
      delete root.dataset.theme;
      localStorage.removeItem('theme');
    } else {
      root.dataset.theme = theme;
      localStorage.setItem('theme', theme);
    }
  };
  return (
    <Menu
      label="Theme"
      trigger={(trigger) => (
        <Button look="quiet" size="icon" aria-label="Theme" {...trigger}>
          <Icon size={16} strokeWidth={1.75} aria-hidden />
        </Button>
      )}
    >
      {themes.map(({ id, label, icon }) => (
        <MenuItem key={id} icon={icon} checked={id === chosen} onSelect={() => choose(id)}>
          {label}
        </MenuItem>
      ))}
    </Menu>
  );
}
