-- People who want a mail once a week about flags that they own and that can go.
create table reminders (
  user_id text primary key references users (id) on delete cascade,
  -- When the next one is due. Who moves it writes the mail.
  next_at bigint not null
);
create index reminders_next_at on reminders (next_at);
