/** Many audit entries, written into the file by one statement: through the API ten million would take a day. */
import { DatabaseSync } from 'node:sqlite';

/** One entry for each of a hundred flags in turn, in the past. */
export function fillAuditRows(file: string, { from, to }: { from: number; to: number }): void {
  const database = new DatabaseSync(file);
  try {
    // Whoever loses power here starts again.
    database.exec('pragma journal_mode = off; pragma synchronous = off; pragma cache_size = -500000;');
    database.exec(statement(from, to));
    database.exec('pragma journal_mode = wal;');
  } finally {
    database.close();
  }
}

const statement = (from: number, to: number): string => `
  with recursive
    numbers (n) as (select ${from} union all select n + 1 from numbers where n + 1 < ${to}),
    flag (position, id, name, project_id) as (
      select row_number() over (order by created_at, id) - 1, id, name, project_id from flags limit 100),
    total (flags) as (select count(*) from flag)
  insert into changes (id, at, transaction_id, actor_type, actor_id, actor_name, action, object_type, object_id,
                       object_name, project_id, environment_id, after_body, previous_id)
  select '01800000-0000-7000-8000-' || substr(cast(1000000000000 + n as text), 2), 1600000000000 + n * 10,
         'bench-' || n, 'api_key', 'bench', 'Bench', 'definition.patched', 'definition', flag.id, flag.name,
         flag.project_id, (select id from environments limit 1),
         '{"killed":true,"trafficAllocation":100,"change":' || n || '}',
         case when n >= total.flags
              then '01800000-0000-7000-8000-' || substr(cast(1000000000000 + n - total.flags as text), 2) end
    from numbers, total join flag on flag.position = n % total.flags`;
