-- How people sign in.
alter table account add column two_factor_required boolean not null default false;
alter table account add column session_idle_hours bigint not null default 12;
alter table account add column session_days bigint not null default 14;

-- Why the last nightly backup failed; null after one was made.
alter table account add column backup_failed_at bigint;
alter table account add column backup_error text;

-- The processes over a PostgreSQL database. Each says now and then that it is there.
create table nodes (
  id text primary key,
  host text not null,
  version text not null,
  started_at bigint not null,
  seen_at bigint not null
);
create index nodes_seen_at on nodes (seen_at, id);
