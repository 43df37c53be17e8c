/**
 * How much `npm run test:trust` does: enough for every change as it is, enough for a release with TRUST=long in the
 * environment.
 */
export const sized = ({ short, long }: { readonly short: number; readonly long: number }): number =>
  process.env.TRUST === 'long' ? long : short;

/** A figure for docs/trust.md, among the output of the tests. */
export const report = (figure: string): void => {
  process.stdout.write(`# ${figure}\n`);
};
