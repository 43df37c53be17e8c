/** One decimal, but 0 and 100 only for exact values. */
export function percent(share: number): string {
  if (share > 0 && share < 0.1) return '<0.1%';
  if (share < 100 && share > 99.9) return '>99.9%';
  return `${Number(share.toFixed(1))}%`;
}
