-- Of a changeset that was submitted as a change request: the environment that it is about.
alter table changesets add column environment_id text;
create index changesets_requests_environment on changesets (environment_id, state, created_at, id)
  where operation_type is not null;
