-- What a definition names: flags and segments, and later other things that can be named in a targeting.
-- By name, as in the targeting: a flag that was deleted and comes back under its name is depended on as before.
create table definition_references (
  environment_id text not null,
  flag_id text not null,
  flag_name text not null,
  kind text not null,
  name text not null,
  primary key (environment_id, flag_id, kind, name),
  foreign key (environment_id, flag_id) references definitions (environment_id, flag_id) on delete cascade
);
create index definition_references_name on definition_references (environment_id, kind, name, flag_name);
insert into definition_references (environment_id, flag_id, flag_name, kind, name)
select environment_id, flag_id, flag_name, 'flag', needed_flag_name from dependencies;
-- The next start writes the summaries again, and with them the segments that definitions name.
delete from definition_summaries;
