-- What lists show of a definition, beside it: a definition can be a megabyte, and a list shows hundreds. A summary holds
-- as long as its change number is that of the definition: a node of the release before changes definitions without it.
create table definition_summaries (
  environment_id text not null,
  flag_id text not null,
  change_number bigint not null,
  updated_at bigint not null,
  summary text not null,
  primary key (environment_id, flag_id),
  foreign key (environment_id, flag_id) references definitions (environment_id, flag_id) on delete cascade
);
