import { Moon, Sun } from 'lucide-react';
import { Button } from './Button.tsx';
import { chooseTheme, useTheme } from './theme.ts';

export function ThemeSwitch() {
  const other = useTheme() === 'dark' ? 'light' : 'dark';
  const Icon = other === 'light' ? Sun : Moon;
  return (
    <Button look="quiet" size="icon" aria-label={`Use ${other} theme`} onClick={() => chooseTheme(other)}>
      <Icon size={16} strokeWidth={1.75} aria-hidden />
    </Button>
  );
}
