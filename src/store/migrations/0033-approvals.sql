-- Changes in an environment may need somebody's approval. `environment_grants` also has who may approve (`approve`) and
-- whose changes need no approval (`skip`).
alter table environments add column are_approvals_required boolean not null default false;
alter table environments add column are_approvers_restricted boolean not null default false;

-- `changesets.state` is also `REQUESTED`, `APPROVED`, `REJECTED`, `EXPIRED` or `FAILED`.
-- JSON: the names of those who were asked to approve; empty: all who can.
alter table changesets add column approvers text not null default '[]';
-- Why it failed, was rejected or expired.
alter table changesets add column reason text;
-- While it waits: when it is given up.
alter table changesets add column expires_at bigint;
-- The vendor's type of operation, of a changeset that was submitted as a change request.
alter table changesets add column operation_type text;
create index changesets_author on changesets (project_id, author_type, author_id, created_at, id);
create index changesets_expires_at on changesets (expires_at) where expires_at is not null;
create index changesets_requests on changesets (state, created_at, id) where operation_type is not null;

-- Of an object and an environment, one change request can wait.
alter table changeset_operations add column is_pending boolean not null default false;
create unique index changeset_operations_pending
  on changeset_operations (object_kind, object_id, environment_id) where is_pending;

-- What people said about a changeset: `comment`, `request`, `edit`, `approve`, `reject`, `withdraw`.
create table changeset_reviews (
  id text primary key,
  changeset_id text not null references changesets (id) on delete cascade,
  kind text not null,
  actor_type text not null,
  actor_id text not null,
  actor_name text not null,
  comment text not null,
  -- Of an approval: SHA-256 of what was approved.
  content_hash text,
  created_at bigint not null,
  -- Of an approval: when somebody edited the changeset.
  voided_at bigint
);
create index changeset_reviews_changeset on changeset_reviews (changeset_id, created_at, id);

-- Of a change where others need an approval: `kill` or `skipped`.
alter table changes add column without_approval text;
