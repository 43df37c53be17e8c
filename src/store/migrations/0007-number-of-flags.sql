-- How many flags a project has, kept by each change of them: where flags are made all the time, counting them for each
-- page would take longer the more there are.
alter table projects add column flag_count bigint not null default 0;
update projects set flag_count = (select count(*) from flags f where f.project_id = projects.id);
