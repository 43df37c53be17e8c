-- Names that projects and environments had before: addresses with them lead to what has another name now. A name that
-- something takes leads there, and its row is deleted.
create table former_project_names (
  name text primary key,
  project_id text not null references projects (id) on delete cascade,
  renamed_at bigint not null
);
create index former_project_names_project on former_project_names (project_id, renamed_at);

create table former_environment_names (
  project_id text not null references projects (id) on delete cascade,
  name text not null,
  environment_id text not null references environments (id) on delete cascade,
  renamed_at bigint not null,
  primary key (project_id, name)
);
create index former_environment_names_environment on former_environment_names (environment_id, renamed_at);
