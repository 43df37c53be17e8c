/** Writes docs/openapi.json from the contract; a test compares them. */
import { writeFileSync } from 'node:fs';
import { toOpenApi } from '#contract/openapi.ts';

writeFileSync(new URL('../docs/openapi.json', import.meta.url), `${JSON.stringify(toOpenApi(), null, 2)}\n`);
