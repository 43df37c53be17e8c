/** The extent of `npm run test:trust`: short for every change, long for a release (TRUST=long). */
export const sized = ({ short, long }: { readonly short: number; readonly long: number }): number =>
  isLong ? long : short;

/** For what only many tries show. */
export const isLong = process.env.TRUST === 'long';

/** A figure for docs/trust.md, among the output of the tests. */
export const report = (figure: string): void => {
  process.stdout.write(`# ${figure}\n`);
};
