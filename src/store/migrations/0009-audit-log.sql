-- previous_id: the entry whose after_body is what was before; null where before_body has it, or where there was nothing.
-- repeats: how often the same happened again within the hour and was counted here instead of getting an entry.
alter table changes add column previous_id text;
alter table changes add column repeats bigint not null default 0;
create index changes_previous on changes (previous_id) where previous_id is not null;
-- The states of an object, one after the other.
create index changes_state on changes (object_type, object_id, coalesce(environment_id, ''), at, id)
  where after_body is not null;

-- Without these a filter by two of them walks through all entries of one.
create index changes_project_type on changes (project_id, object_type, at, id);
create index changes_environment_type on changes (environment_id, object_type, at, id);
create index changes_actor_project on changes (actor_id, project_id, at, id);

-- Retention: how many entries were removed so far, and that none was as new as audit_removed_before; when the log was
-- last gone through, and until when somebody is doing it.
alter table account add column audit_removed bigint not null default 0;
alter table account add column audit_removed_before bigint not null default 0;
alter table account add column audit_checked_at bigint not null default 0;
alter table account add column audit_claimed_until bigint not null default 0;
