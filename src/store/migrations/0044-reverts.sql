-- The changesets that take one back.
create index changesets_reverts on changesets (project_id, reverts, created_at, id) where reverts is not null;

-- The changesets that change a flag.
create index changeset_operations_changeset on changeset_operations (object_id, changeset_id);
