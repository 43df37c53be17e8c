-- How SDKs hash a key: 1 is the legacy hash, which only imported definitions have, 2 is murmur3.
alter table definitions add column algo bigint not null default 2;

-- What an import wrote, so that the next one can tell what was changed here and what at the source.
create table imported_objects (
  -- As people name it.
  source text not null,
  -- The id of the environment, or of the project, or empty for what belongs to the account.
  place text not null,
  kind text not null,
  name text not null,
  project_id text references projects (id) on delete cascade,
  environment_id text references environments (id) on delete cascade,
  -- Of what the source said.
  content_hash text not null,
  -- Of the keys of a segment, the number of our change. Of a user, 1 if the invitation was sent.
  revision bigint,
  primary key (source, place, kind, name)
);
create index imported_objects_project on imported_objects (project_id);
create index imported_objects_environment on imported_objects (environment_id);

-- A plan, an import or a verification that was started in the interface. Never has keys of the source.
create table imports (
  id text primary key,
  step text not null,
  -- `running`, `done`, `failed` or `interrupted`. One that runs writes its heartbeat.
  state text not null,
  -- JSON objects.
  progress text not null,
  result text,
  -- JSON: type, id and name.
  started_by text not null,
  heartbeat bigint not null,
  created_at bigint not null
);
create unique index imports_running_key on imports (state) where state = 'running';
create index imports_created_at on imports (created_at, id);
