-- A segment of any kind: `standard`, `large` or `rule_based`. A name exists once over all kinds, because a rule names
-- any of them. Segments cannot be renamed.
create table segments (
  id text primary key,
  project_id text not null references projects (id),
  traffic_type_id text not null references traffic_types (id),
  kind text not null,
  name text not null,
  description text not null,
  creator_type text not null,
  creator_id text not null,
  creator_name text not null,
  created_at bigint not null
);
create unique index segments_name_key on segments (project_id, name);
create index segments_created_at on segments (project_id, kind, created_at, id);
create index segments_traffic_type on segments (traffic_type_id);

create table segment_tags (
  segment_id text not null references segments (id) on delete cascade,
  position bigint not null,
  name text not null,
  primary key (segment_id, position)
);
create unique index segment_tags_name_key on segment_tags (name, segment_id);

-- Where a segment is active. `rules`: the definition of a rule-based segment there, as JSON.
create table segment_environments (
  environment_id text not null references environments (id),
  segment_id text not null references segments (id) on delete cascade,
  change_number bigint not null,
  key_count bigint not null,
  rules text,
  created_at bigint not null,
  updated_at bigint not null,
  primary key (environment_id, segment_id)
);
create index segment_environments_segment on segment_environments (segment_id, environment_id);

-- Keys of standard segments, with the number of their last change. Removed ones stay, marked, so that a client that
-- was away for long learns of them: so rows name the segment and outlive it. They also outlive the environment, because
-- millions of them cannot be deleted in its transaction; a job deletes them.
create table segment_keys (
  environment_id text not null,
  segment text not null,
  key text not null,
  change_number bigint not null,
  is_removed boolean not null,
  primary key (environment_id, segment, key)
);
-- All numbers are positive. The condition keeps the index out of plans that PostgreSQL makes while the table is empty and
-- that look for keys: only statements that repeat it use the index.
create index segment_keys_change_number on segment_keys (environment_id, segment, change_number) where change_number > 0;
create index segment_keys_key on segment_keys (environment_id, key, segment) where is_removed = false;
-- A page of keys does not read the removed ones.
create index segment_keys_current on segment_keys (environment_id, segment, key) where is_removed = false;

-- A call that changed keys: who, when (the number is milliseconds), from which file, and how many there were then.
create table segment_key_changes (
  environment_id text not null references environments (id) on delete cascade,
  segment text not null,
  change_number bigint not null,
  actor_type text not null,
  actor_id text not null,
  actor_name text not null,
  source text not null,
  added bigint not null,
  removed bigint not null,
  key_count bigint not null,
  primary key (environment_id, segment, change_number)
);

-- A segment that was deactivated, so that SDKs can be told.
create table segment_tombstones (
  environment_id text not null references environments (id) on delete cascade,
  name text not null,
  kind text not null,
  change_number bigint not null,
  primary key (environment_id, name)
);

-- What definitions (`from_kind` is `flag`) and rule-based segments (`segment`) name: a flag, a segment of any kind, or
-- a flag set. By name: an object that was deleted and comes back under its name is used as before.
create table object_references (
  environment_id text not null,
  from_kind text not null,
  from_name text not null,
  kind text not null,
  name text not null,
  flag_id text,
  segment_id text,
  primary key (environment_id, from_kind, from_name, kind, name),
  foreign key (environment_id, flag_id) references definitions (environment_id, flag_id) on delete cascade,
  foreign key (environment_id, segment_id) references segment_environments (environment_id, segment_id) on delete cascade
);
create index object_references_name on object_references (environment_id, kind, name, from_kind, from_name);
create index object_references_flag on object_references (environment_id, flag_id);
create index object_references_segment on object_references (environment_id, segment_id);
insert into object_references (environment_id, from_kind, from_name, kind, name, flag_id)
select environment_id, 'flag', flag_name, kind, name, flag_id from definition_references;
-- No release had it.
drop table definition_references;

-- Segment paths name an environment without its project.
create index environments_name on environments (name);
