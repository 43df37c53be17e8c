-- Saved views of the flag list.
create table views (
  id text primary key,
  project_id text not null references projects (id) on delete cascade,
  -- The user or API key that alone sees it; empty: everyone in the project.
  owner_id text not null,
  name text not null,
  -- As in the address of the flag list.
  query text not null,
  -- JSON: a list of names.
  columns text not null
);
create unique index views_name_key on views (project_id, owner_id, name);
create index views_owner on views (owner_id);
