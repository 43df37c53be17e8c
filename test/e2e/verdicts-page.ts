/** Runs in a page: fetches the cases and reports the results of the checks. */
import { type Case, verdictOn } from './verdicts.ts';

const { tell } = globalThis as unknown as { tell: (verdicts: unknown) => void };
const cases = (await (await fetch('/cases.json')).json()) as Case[];
tell(cases.map(verdictOn));
