/** What the page sends with each step. Keys are only here, in memory, until the page is left. */
import type { Import, ImportStep, NewImport } from '#domain/imports.ts';

export interface AccountSource {
  readonly kind: 'split' | 'burgee';
  readonly url: string;
  readonly adminKey: string;
  /** By environment, or by `project/environment`. */
  readonly sdkKeys: Readonly<Record<string, string>>;
  /** All if empty. */
  readonly project: string;
  readonly into: string;
  readonly invite: boolean;
}

export interface FileSource {
  readonly kind: 'file';
  readonly name: string;
  readonly text: string;
  readonly project: string;
  readonly environment: string;
}

export type Source = AccountSource | FileSource;

interface Asked {
  readonly source: Source;
  /** Environments whose rollouts get new seeds. */
  readonly newSeeds: readonly string[];
  readonly keysPerFlag?: number;
}

export function bodyOf(step: ImportStep, { source, newSeeds, keysPerFlag }: Asked): NewImport {
  const shared = { step, ...(keysPerFlag === undefined ? {} : { keysPerFlag }) };
  if (source.kind === 'file') {
    const { text, project, environment } = source;
    const file = { text, project, ...(environment === '' ? {} : { environment }) };
    return { ...shared, source: { file }, choices: { newSeeds: [...newSeeds] } };
  }
  const { url, adminKey, sdkKeys, project, into, invite } = source;
  return {
    ...shared,
    source: { url },
    keys: { admin: adminKey, sdk: Object.entries(sdkKeys).map(([environment, key]) => ({ environment, key })) },
    choices: {
      newSeeds: [...newSeeds],
      invite,
      ...(project === '' ? {} : { projects: [{ name: project, ...(into === '' ? {} : { as: into }) }] }),
    },
  };
}

export const steps = ['connect', 'plan', 'import', 'verify'] as const;
export type Step = (typeof steps)[number];

export type Job = Import;
export type Report = NonNullable<NonNullable<Import['result']>['report']>;
export type Comparison = NonNullable<NonNullable<Import['result']>['comparison']>;

export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${count.toLocaleString('en')} ${count === 1 ? one : many}`;
