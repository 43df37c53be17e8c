const numbers = new Intl.NumberFormat('en');
const conjunction = new Intl.ListFormat('en-GB');

/** "1 key", "2 keys", "1,200 people". */
export const countOf = (count: number, one: string, many = `${one}s`): string =>
  `${numbers.format(count)} ${count === 1 ? one : many}`;

/** "Ana", "Ana and Liu", "Ana, Liu and 3 more". */
export function listed(names: readonly string[], max = 3): string {
  return conjunction.format(names.length > max ? [...names.slice(0, max), `${names.length - max} more`] : names);
}
