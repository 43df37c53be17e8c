// Runs before the first paint, so that who chose the dark theme never sees a white flash. A file of its own and not
// inline, because the Content-Security-Policy allows no inline script. src/ui/theme.ts writes what is read here.
{
  const theme = localStorage.getItem('theme');
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
}
