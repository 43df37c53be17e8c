-- The entries of one changeset, in order.
drop index changes_changeset;
create index changes_changeset on changes (changeset_id, at, id) where changeset_id is not null;

-- What waits for somebody, in all projects.
create index changesets_waiting on changesets (created_at, id) where state = 'REQUESTED';
