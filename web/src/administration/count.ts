const numbers = new Intl.NumberFormat('en');

/** "1 key", "2 keys", "1,200 people". */
export const countOf = (count: number, one: string, many = `${one}s`): string =>
  `${numbers.format(count)} ${count === 1 ? one : many}`;

/** "Ana", "Ana and Liu", "Ana, Liu and 3 more". */
export function listed(names: readonly string[], max = 3): string {
  const shown = names.length > max ? [...names.slice(0, max), `${names.length - max} more`] : names;
  return shown.length < 2 ? (shown[0] ?? '') : `${shown.slice(0, -1).join(', ')} and ${shown.at(-1)}`;
}
