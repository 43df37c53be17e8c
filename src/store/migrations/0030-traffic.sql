-- What SDKs report. No foreign keys: their locks would make changes of flags wait for counting, and the other way round.
-- Rows of what was deleted are removed by a job.
create table traffic_counts (
  environment_id text not null,
  flag_id text not null,
  -- When it begins, in milliseconds. After 35 days, the hours of a day are added to its first one.
  hour bigint not null,
  -- Empty: SDKs reported a number without saying who got what.
  treatment text not null,
  -- The rule, as SDKs name it; empty: unknown.
  label text not null,
  -- Without treatment it can be negative: SDKs count some evaluations that they have reported with treatment, too.
  evaluations bigint not null,
  primary key (environment_id, flag_id, hour, treatment, label)
);

create table flag_traffic (
  environment_id text not null,
  flag_id text not null,
  last_at bigint not null,
  primary key (environment_id, flag_id)
);
create index flag_traffic_flag on flag_traffic (flag_id);

create table event_counts (
  environment_id text not null,
  traffic_type text not null,
  event_type text not null,
  hour bigint not null,
  events bigint not null,
  -- Of those with a value.
  valued bigint not null,
  value_sum double precision not null,
  value_squares double precision not null,
  primary key (environment_id, traffic_type, event_type, hour)
);

create table event_types (
  environment_id text not null,
  traffic_type text not null,
  event_type text not null,
  last_at bigint not null,
  primary key (environment_id, traffic_type, event_type)
);
