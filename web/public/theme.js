// Runs before the first paint, to avoid a white flash in the dark theme. A separate file, not
// inline, because the Content-Security-Policy allows no inline script. src/ui/ThemeSwitch.tsx writes what is read here.
{
  const theme = localStorage.getItem('theme');
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
}
