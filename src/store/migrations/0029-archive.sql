-- An archived flag keeps its name, definitions and seeds, but lists leave it out and SDKs no longer receive it.
alter table flags add column archived_at bigint;
create index flags_archived on flags (project_id, created_at, id) where archived_at is not null;
create index flags_live on flags (project_id, created_at, id) where archived_at is null;
