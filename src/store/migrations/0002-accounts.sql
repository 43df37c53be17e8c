-- People who sign in: passwords, second factors, sessions, links that open once; and the sending of mail.

create index projects_open on projects (id) where is_restricted = false;

alter table users add column password_hash text;
alter table users add column totp_secret text;
-- The last time step whose code was used: a code works once.
alter table users add column totp_step bigint;
-- The secret that was shown but not yet confirmed by a code.
alter table users add column totp_offered text;

create table recovery_codes (
  user_id text not null references users (id) on delete cascade,
  code_hash text not null
);
create unique index recovery_codes_key on recovery_codes (user_id, code_hash);

create table sessions (
  id text primary key,
  user_id text not null references users (id) on delete cascade,
  token_hash text not null,
  address text not null,
  agent text not null,
  created_at bigint not null,
  last_seen_at bigint not null
);
create unique index sessions_token_hash_key on sessions (token_hash);
create index sessions_user on sessions (user_id, created_at, id);
create index sessions_last_seen_at on sessions (last_seen_at);

create table password_resets (
  user_id text primary key references users (id) on delete cascade,
  token_hash text not null,
  expires_at bigint not null
);
create unique index password_resets_token_hash_key on password_resets (token_hash);

-- The hash of the one-time link for the first administrator; null once there is one.
alter table account add column setup_token_hash text;

-- attempts: how often sending was tried. due_at: not before this. claimed_until: somebody is sending it until then.
alter table outbox add column attempts bigint not null default 0;
alter table outbox add column due_at bigint not null default 0;
alter table outbox add column claimed_until bigint not null default 0;
alter table outbox add column last_error text;
alter table outbox add column given_up_at bigint;
create index outbox_due on outbox (due_at, id) where given_up_at is null;
