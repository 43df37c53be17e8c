/** One decimal, but never 0 or 100 for what is not. */
export function percent(share: number): string {
  if (share > 0 && share < 0.1) return '<0.1%';
  if (share < 100 && share > 99.9) return '>99.9%';
  return `${Number(share.toFixed(1))}%`;
}
