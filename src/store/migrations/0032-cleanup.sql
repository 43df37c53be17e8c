-- What each definition says about cleaning up, so that no page has to read all definitions. A job keeps it.
create table definition_facts (
  environment_id text not null,
  flag_id text not null,
  -- Of the definition that this is about.
  change_number bigint not null,
  -- What everyone gets; null if there is more than one treatment.
  treatment text,
  killed boolean not null,
  -- Since when treatment and kill are as they are.
  since bigint not null,
  -- SDKs do not report evaluations.
  silent boolean not null,
  -- JSON: the dates that rules compare with.
  dates text not null,
  primary key (environment_id, flag_id),
  foreign key (environment_id, flag_id) references definitions (environment_id, flag_id) on delete cascade
);
create index definition_facts_change_number on definition_facts (environment_id, change_number);

-- When a flag counts as finished. A project without a row has the usual limits.
create table cleanup_policies (
  project_id text primary key references projects (id) on delete cascade,
  one_treatment_days bigint not null,
  age_days bigint not null,
  quiet_days bigint not null,
  killed_days bigint not null,
  -- JSON: ids, of which some may be deleted.
  environment_ids text not null
);

-- Flags that look finished, but that someone keeps.
create table flag_keeps (
  flag_id text primary key references flags (id) on delete cascade,
  -- Null: for good.
  until bigint,
  note text not null,
  kept_at bigint not null,
  kept_by text not null
);

-- The last report of each branch on where its code names flags.
create table code_reports (
  project_id text not null references projects (id) on delete cascade,
  repository text not null,
  branch text not null,
  commit_id text not null,
  -- Address of a line, with {commit}, {path} and {line}; empty if there is none.
  url_pattern text not null,
  reported_at bigint not null,
  primary key (project_id, repository, branch)
);
create index code_reports_reported_at on code_reports (reported_at);

create table code_references (
  flag_id text not null references flags (id) on delete cascade,
  project_id text not null,
  repository text not null,
  branch text not null,
  path text not null,
  line bigint not null,
  excerpt text not null,
  primary key (flag_id, repository, branch, path, line),
  foreign key (project_id, repository, branch) references code_reports (project_id, repository, branch) on delete cascade
);
create index code_references_report on code_references (project_id, repository, branch);
