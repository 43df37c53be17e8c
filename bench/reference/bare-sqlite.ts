/** The limit of writes: Node's SQLite doing the statements of a change in one durable transaction, and nothing else. */
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import type { RecordedRequest, Statement } from '../recorded.ts';
import { answerOrders } from './answers.ts';
import { entryIdPlace, type Repetition, repeat, withNewId } from './repeat.ts';

export interface SqliteOrder extends Repetition {
  /** A copy of the catalogue, on the same disk. */
  readonly file: string;
  readonly request: RecordedRequest;
}

let opened: { readonly database: DatabaseSync; readonly statements: readonly Prepared[] } | undefined;

answerOrders(async ({ file, request, ...repetition }: SqliteOrder) => {
  opened ??= open(file, request.writes);
  const { database, statements } = opened;
  return repeat(repetition, () => {
    database.exec('begin immediate');
    for (const { statement, values, idPlace } of statements) {
      statement.all(...(idPlace === undefined ? values : withNewId(values, idPlace)));
    }
    database.exec('commit');
  });
});

interface Prepared {
  readonly statement: StatementSync;
  readonly values: Statement['values'];
  readonly idPlace: number | undefined;
}

function open(file: string, writes: readonly Statement[]) {
  const database = new DatabaseSync(file);
  database.exec('pragma journal_mode = wal; pragma synchronous = full; pragma foreign_keys = on;');
  const statements = writes.map((write) => ({
    statement: database.prepare(write.sqlite),
    values: write.values,
    idPlace: entryIdPlace(write),
  }));
  return { database, statements };
}
