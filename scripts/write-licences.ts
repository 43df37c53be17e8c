/** Writes docs/licences.md; a test compares it with the lockfile. */
import { writeFileSync } from 'node:fs';
import { licences } from './licences.ts';

writeFileSync(new URL('../docs/licences.md', import.meta.url), licences());
