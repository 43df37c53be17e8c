/** Errors of SQLite that are about the disk: nothing is wrong with the request, and it may succeed when the disk can. */
import { unavailable } from '../sql.ts';

/** Writing fails or may not be, reading fails, the disk is full, a file cannot be opened (primary result codes). */
const ofTheDisk = { readOnly: 8, inputOutput: 10, full: 13, cannotOpen: 14 };
const codes: ReadonlySet<number> = new Set(Object.values(ofTheDisk));

/** For `.catch`: throws what came, or in place of a trouble with the disk that the database is not available. */
export function refuseDiskTrouble(error: unknown): never {
  const { errcode = 0 } = error as { errcode?: number };
  if (!codes.has(errcode % 256)) throw error;
  throw unavailable(error);
}
