-- The list of keys that a large segment serves in an environment. Null: none was uploaded yet.
alter table segment_environments add column list_id bigint;
create index segment_environments_list on segment_environments (list_id);

-- A list of keys that an upload writes. Segments refer to complete ones. A job deletes a list once its lease has ended
-- and no segment refers to it: millions of keys are too many for the transaction that replaces them.
create table key_lists (
  -- Random, and short because every block repeats it.
  id bigint primary key,
  lease_until bigint not null,
  -- SHA-256 of the sorted keys; null until all of them are stored.
  digest text
);
create index key_lists_lease_until on key_lists (lease_until, id);

-- The keys of a list in sorted order, about 2 kB of them in a row, one per line. To look up a key, read the block with
-- the largest first key that is not greater.
create table key_list_blocks (
  list_id bigint not null,
  first_key text not null,
  keys text not null,
  primary key (list_id, first_key)
);

-- A change request for a large segment: to replace its keys by a file (`UPLOAD`), or to remove them (`ARCHIVE`).
create table segment_uploads (
  id text primary key,
  environment_id text not null references environments (id) on delete cascade,
  segment_id text not null references segments (id) on delete cascade,
  operation text not null,
  -- Of the address for the file, until it is used.
  token_hash text,
  expires_at bigint not null,
  -- `awaiting` the file, `receiving`, `published` or `failed`
  status text not null,
  list_id bigint,
  received_bytes bigint not null,
  -- Null if the client did not say.
  total_bytes bigint,
  key_count bigint,
  failure text,
  title text not null,
  comment text not null,
  actor_type text not null,
  actor_id text not null,
  actor_name text not null,
  session_id text,
  created_at bigint not null
);
create unique index segment_uploads_token_hash_key on segment_uploads (token_hash);
create index segment_uploads_segment on segment_uploads (segment_id, environment_id, created_at, id);
create index segment_uploads_environment on segment_uploads (environment_id, created_at, id);
create index segment_uploads_created_at on segment_uploads (created_at, id);
