-- The orders of the flag list, each with an index, and its states over all environments. They are kept by each change
-- of a flag or of one of its definitions.
alter table flags add column changed_at bigint not null default 0;
alter table flags add column status_position bigint not null default 0;
-- In hundredths of a percent; -1 if it is not defined in production.
alter table flags add column production_share bigint not null default -1;
alter table flags add column definition_count bigint not null default 0;
alter table flags add column killed_count bigint not null default 0;
-- Rules, targets or treatments are not the same in all environments.
alter table flags add column differs boolean not null default false;
update flags
   set changed_at = coalesce((select max(s.updated_at) from definition_summaries s where s.flag_id = flags.id), 0),
       status_position = (select s.position from rollout_statuses s where s.id = flags.rollout_status_id);
update flags set changed_at = revision where changed_at < revision;
create index flags_changed_at on flags (project_id, changed_at, id);
create index flags_status_position on flags (project_id, status_position, id);
create index flags_production_share on flags (project_id, production_share, id);

-- What the list filters and compares definitions by. They are of this change: a node of the release before writes a
-- summary without them. The next start fills them in.
alter table definition_summaries add column listed_change bigint not null default -1;
alter table definition_summaries add column killed boolean not null default false;
alter table definition_summaries add column share bigint not null default 0;
alter table definition_summaries add column digest text not null default '';
create index definition_summaries_flag on definition_summaries (flag_id, environment_id, killed, digest);
