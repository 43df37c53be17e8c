/** Runs in a page: fetches the cases and tells what the checks say about them. */
import { type Case, verdictOn } from './verdicts.ts';

const { tell } = globalThis as unknown as { tell: (verdicts: unknown) => void };
const cases = (await (await fetch('/cases.json')).json()) as Case[];
tell(cases.map(verdictOn));
