-- The changesets that take one back.
create index changesets_reverts on changesets (project_id, reverts, created_at, id) where reverts is not null;
