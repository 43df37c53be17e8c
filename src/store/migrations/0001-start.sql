-- The portable subset: types text, bigint and boolean; instants are milliseconds; ids are made by us and sort by time.
-- Every unique rule has a named index: the name is what the code translates into a refusal.

create table account (
  id text primary key,
  -- Always true: with the index below it makes a second account impossible.
  single boolean not null,
  marker_secret text not null,
  created_at bigint not null
);

create unique index account_single_key on account (single);

create table projects (
  id text primary key,
  name text not null,
  requires_title_and_comments boolean not null,
  is_restricted boolean not null,
  created_at bigint not null
);
create unique index projects_name_key on projects (name);
create index projects_created_at on projects (created_at, id);

create table environments (
  id text primary key,
  project_id text not null references projects (id),
  name text not null,
  production boolean not null,
  -- Grows with every change of a definition here. Updating it is also the lock of the environment's definitions.
  change_number bigint not null,
  created_at bigint not null
);
create unique index environments_name_key on environments (project_id, name);
create index environments_created_at on environments (project_id, created_at, id);

create table traffic_types (
  id text primary key,
  project_id text not null references projects (id),
  name text not null,
  display_attribute_id text not null,
  created_at bigint not null
);
create unique index traffic_types_name_key on traffic_types (project_id, name);
create index traffic_types_created_at on traffic_types (project_id, created_at, id);

create table rollout_statuses (
  id text primary key,
  project_id text not null references projects (id) on delete cascade,
  position bigint not null,
  name text not null,
  description text not null
);
create unique index rollout_statuses_position_key on rollout_statuses (project_id, position);

create table flags (
  id text primary key,
  project_id text not null references projects (id),
  traffic_type_id text not null references traffic_types (id),
  rollout_status_id text not null references rollout_statuses (id),
  name text not null,
  description text not null,
  rollout_status_at bigint not null,
  owners text not null,
  revision bigint not null,
  created_at bigint not null
);
create unique index flags_name_key on flags (project_id, name);
create index flags_created_at on flags (project_id, created_at, id);
create index flags_rollout_status on flags (rollout_status_id, created_at, id);
create index flags_traffic_type on flags (traffic_type_id);

create table flag_tags (
  flag_id text not null references flags (id) on delete cascade,
  position bigint not null,
  name text not null,
  primary key (flag_id, position)
);
create unique index flag_tags_name_key on flag_tags (name, flag_id);

create table definitions (
  environment_id text not null references environments (id),
  flag_id text not null references flags (id) on delete cascade,
  targeting text not null,
  -- What the SDKs' bucketing starts from: made once, never changed, so that nobody switches sides by an edit.
  seed bigint not null,
  traffic_allocation_seed bigint not null,
  change_number bigint not null,
  created_at bigint not null,
  updated_at bigint not null
);
create unique index definitions_flag_key on definitions (environment_id, flag_id);
create unique index definitions_change_number_key on definitions (environment_id, change_number);
create index definitions_created_at on definitions (environment_id, created_at, flag_id);
create index definitions_flag on definitions (flag_id);

-- The definitions that are gone, so that SDKs can be told.
create table tombstones (
  environment_id text not null references environments (id) on delete cascade,
  flag_name text not null,
  change_number bigint not null,
  primary key (environment_id, flag_name)
);
create unique index tombstones_change_number_key on tombstones (environment_id, change_number);

-- Which flag's definition asks for the treatment of which other flag; lifted out of the targeting to find cycles.
-- By name, as in the targeting: a flag that was deleted and comes back under its name is depended on as before.
create table dependencies (
  environment_id text not null,
  flag_id text not null,
  flag_name text not null,
  needed_flag_name text not null,
  primary key (environment_id, flag_id, needed_flag_name),
  foreign key (environment_id, flag_id) references definitions (environment_id, flag_id) on delete cascade
);
create index dependencies_needed_flag on dependencies (environment_id, needed_flag_name, flag_name);

create table groups (
  id text primary key,
  name text not null,
  description text not null,
  created_at bigint not null
);
create unique index groups_name_key on groups (name);
create index groups_created_at on groups (created_at, id);

create table users (
  id text primary key,
  email text not null,
  -- The address as it is compared: without case.
  email_key text not null,
  name text not null,
  status text not null,
  two_factor boolean not null,
  created_at bigint not null
);
create unique index users_email_key on users (email_key);
create index users_created_at on users (created_at, id);
create index users_status on users (status, created_at, id);

create table memberships (
  user_id text not null references users (id) on delete cascade,
  group_id text not null references groups (id) on delete cascade,
  position bigint not null,
  primary key (user_id, group_id)
);
create index memberships_group on memberships (group_id, user_id);

create table invitations (
  user_id text primary key references users (id) on delete cascade,
  token_hash text not null,
  expires_at bigint not null
);
create unique index invitations_token_hash_key on invitations (token_hash);

-- Who may see a restricted project.
create table project_viewers (
  project_id text not null references projects (id) on delete cascade,
  viewer_type text not null,
  viewer_id text not null,
  position bigint not null,
  primary key (project_id, viewer_type, viewer_id)
);
create index project_viewers_viewer on project_viewers (viewer_id);

create table api_keys (
  id text primary key,
  name text not null,
  type text not null,
  roles text not null,
  hash text not null,
  last_four text not null,
  project_id text references projects (id) on delete cascade,
  created_by_type text not null,
  created_by_id text not null,
  created_at bigint not null,
  last_used_at bigint
);
create unique index api_keys_hash_key on api_keys (hash);
create index api_keys_created_at on api_keys (created_at, id);
create index api_keys_project on api_keys (project_id, created_at, id);

create table api_key_environments (
  api_key_id text not null references api_keys (id) on delete cascade,
  environment_id text not null references environments (id),
  primary key (api_key_id, environment_id)
);
create index api_key_environments_environment on api_key_environments (environment_id);

-- What is to be done after a commit: written in the transaction, done behind it.
create table outbox (
  id text primary key,
  kind text not null,
  payload text not null,
  -- The user whom it concerns: deleting a pending user takes the invitation's mail along.
  user_id text references users (id) on delete cascade,
  created_at bigint not null,
  announced_at bigint
);
create index outbox_created_at on outbox (created_at, id);
create index outbox_unannounced on outbox (created_at, id) where announced_at is null;
create index outbox_user on outbox (user_id);

create table changes (
  id text primary key,
  at bigint not null,
  transaction_id text not null,
  actor_type text not null,
  actor_id text not null,
  actor_name text not null,
  action text not null,
  object_type text not null,
  object_id text not null,
  object_name text not null,
  project_id text,
  environment_id text,
  title text,
  comment text,
  before_body text,
  after_body text
);
create index changes_at on changes (at, id);
create index changes_object_type on changes (object_type, at, id);
create index changes_object_id on changes (object_id, at, id);
create index changes_actor on changes (actor_id, at, id);
create index changes_project on changes (project_id, at, id);
