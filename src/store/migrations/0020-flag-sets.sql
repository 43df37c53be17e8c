-- Definitions name the sets that they are in, in their targeting and in object_references, by id.
create table flag_sets (
  id text primary key,
  project_id text not null references projects (id) on delete cascade,
  name text not null,
  description text not null,
  created_at bigint not null
);
create unique index flag_sets_name_key on flag_sets (project_id, name);
create index flag_sets_created_at on flag_sets (project_id, created_at, id);
