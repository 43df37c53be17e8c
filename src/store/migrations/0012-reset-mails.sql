-- When a user was mailed a link for a new password: there are only so many in an hour.
create table reset_mails (
  user_id text not null references users (id) on delete cascade,
  sent_at bigint not null,
  primary key (user_id, sent_at)
);
