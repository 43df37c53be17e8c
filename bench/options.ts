/** The options of `npm run bench --`. Invalid ones are refused before anything is installed or measured. */
import { parseArgs } from 'node:util';

export interface Options {
  readonly quick: boolean;
  readonly numbers: Readonly<Record<string, number>>;
}

/** `numbers` are the options that take one. Ends the process where help was asked for, or something is wrong. */
export function readOptions(numbers: readonly string[], usage: string): Options {
  const options = {
    quick: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
    ...Object.fromEntries(numbers.map((name) => [name, { type: 'string' } as const])),
  } as const;
  try {
    const { quick, help, ...given } = parseArgs({ options }).values as Record<string, string | boolean>;
    if (help) {
      process.stdout.write(usage);
      process.exit(0);
    }
    const entries = Object.entries(given).map(([name, value]) => [name, aNumber(name, String(value))]);
    return { quick: quick === true, numbers: Object.fromEntries(entries) };
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n\n${usage}`);
    process.exit(1);
  }
}

function aNumber(name: string, value: string): number {
  if (/^[1-9]\d{0,8}$/.test(value)) return Number(value);
  throw new Error(`--${name} takes a number from 1 on, not ${value}`);
}
