/** Reads an export file of another product, whichever it is. */
import { readFileSync } from 'node:fs';
import type { SourceAccount } from '#domain/import/source.ts';
import { isObject } from '#domain/json.ts';
import { OperatorError } from '#domain/operator.ts';
import { isLaunchDarkly, readLaunchDarkly } from './launchdarkly.ts';
import { isSplit, readSplit } from './split.ts';
import { isUnleash, readUnleash } from './unleash.ts';

interface FilePlace {
  /** Its name in sentences. */
  readonly file: string;
  readonly project: string;
  /** Of flags that do not say theirs. */
  readonly environment?: string | undefined;
}

export function readFile(place: FilePlace): SourceAccount {
  const { file } = place;
  let document: unknown;
  try {
    document = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new OperatorError(`${file} is not JSON: ${error.message}`);
  }
  return readDocument(document, place);
}

export function readDocument(document: unknown, { file, project, environment }: FilePlace): SourceAccount {
  if (isObject(document) && isLaunchDarkly(document)) return readLaunchDarkly(document, project);
  if (isObject(document) && isUnleash(document)) return readUnleash(document, project);
  if (isSplit(document)) return readSplit(document, { project, environment });
  throw new OperatorError(
    `${file} is neither a list of LaunchDarkly flags, nor an export of Unleash, nor flags of Split`,
  );
}
