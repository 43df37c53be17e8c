-- Who may edit a project, who may edit definitions in an environment, and who else may kill and restore there. Who may
-- see a project stays in project_viewers, which nodes of the release before write.
alter table projects add column is_edit_restricted boolean not null default false;
-- Owners of a flag may edit it and its definitions, whatever the lists say.
alter table projects add column owners_can_edit boolean not null default false;
-- Changes with every change of who may do what in the project.
alter table projects add column access_revision bigint not null default 0;
alter table environments add column are_editors_restricted boolean not null default false;
-- Kills need no approval. Kept for clients that set it; nothing needs approval.
alter table environments add column allow_kills boolean not null default false;

create table project_editors (
  project_id text not null references projects (id) on delete cascade,
  editor_type text not null,
  editor_id text not null,
  position bigint not null,
  primary key (project_id, editor_type, editor_id)
);
create index project_editors_editor on project_editors (editor_id);

-- Operation `edit`: who may edit definitions. `kill`: who besides them may kill and restore.
create table environment_grants (
  environment_id text not null references environments (id) on delete cascade,
  operation text not null,
  grantee_type text not null,
  grantee_id text not null,
  position bigint not null,
  primary key (environment_id, operation, grantee_type, grantee_id)
);
create index environment_grants_grantee on environment_grants (grantee_id);
