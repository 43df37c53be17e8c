-- Edits to several objects of a project that are applied together, or not at all.
create table changesets (
  id text primary key,
  project_id text not null references projects (id) on delete cascade,
  -- `DRAFT`, `PUBLISHED` or `WITHDRAWN`.
  state text not null,
  title text not null,
  comment text not null,
  author_type text not null,
  author_id text not null,
  author_name text not null,
  -- The changeset that this one takes back.
  reverts text,
  revision bigint not null,
  created_at bigint not null,
  updated_at bigint not null,
  published_at bigint
);
create index changesets_project on changesets (project_id, created_at, id);
create index changesets_state on changesets (project_id, state, created_at, id);

-- Objects and environments may be gone by the time it is applied, so rows do not refer to theirs.
create table changeset_operations (
  changeset_id text not null references changesets (id) on delete cascade,
  position bigint not null,
  -- `definition`, `flag` or `segment`.
  object_kind text not null,
  object_id text not null,
  object_name text not null,
  -- Empty for a flag's details.
  environment_id text not null,
  environment_name text not null,
  -- JSON: what is wanted, and what it is based on.
  edit text not null,
  base text,
  primary key (changeset_id, position)
);
create unique index changeset_operations_object
  on changeset_operations (changeset_id, object_kind, object_id, environment_id);

-- The changeset that a change is part of.
alter table changes add column changeset_id text;
create index changes_changeset on changes (changeset_id) where changeset_id is not null;
