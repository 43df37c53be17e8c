-- Who wants to hear of changes to a flag.
create table watches (
  user_id text not null references users (id) on delete cascade,
  flag_id text not null references flags (id) on delete cascade,
  created_at bigint not null,
  primary key (user_id, flag_id)
);
create index watches_flag on watches (flag_id);

-- Changes that a watcher was not told of yet. The flag may be gone: its deletion is told, too.
create table watch_news (
  user_id text not null references users (id) on delete cascade,
  -- The audit entry.
  change_id text not null,
  flag_id text not null,
  project_id text not null,
  -- Who deletes the rows writes the mail.
  due_at bigint not null,
  primary key (user_id, change_id)
);
create index watch_news_due_at on watch_news (due_at);

-- How soon people hear of flags that they watch: soon, daily, never.
alter table users add column watch_mails text not null default 'soon';
