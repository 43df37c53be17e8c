-- `changesets.state` is also `SCHEDULE_REQUESTED` or `SCHEDULED`.
-- When a changeset is applied without anybody asking: at a time, or step by step.
create table changeset_schedules (
  changeset_id text primary key references changesets (id) on delete cascade,
  -- Who scheduled it, and with whose rights it is applied.
  actor_type text not null,
  actor_id text not null,
  actor_name text not null,
  -- The first step, for example `2026-11-20T09:00` and `Europe/Berlin`. Null: as soon as it is approved.
  local_time text,
  zone text,
  -- JSON: what follows the changeset's own operations, each with its wait or hold and its operations.
  steps text not null,
  -- JSON: when each step so far was applied.
  applied text not null,
  -- Of the next step. Null: it is paused, waits for somebody, or is over.
  due_at bigint,
  paused_at bigint,
  -- What was left of the wait when it was paused.
  left_ms bigint
);
create index changeset_schedules_due_at on changeset_schedules (due_at) where due_at is not null;
