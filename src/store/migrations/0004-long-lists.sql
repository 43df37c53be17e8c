-- Long lists of flags. The number of the last change of a project's flags tells whether a total that was counted still
-- holds; a tag that knows where its flag stands in the list finds a page without looking at the other flags.
alter table projects add column flag_changes bigint not null default 0;

alter table flag_tags add column project_id text not null default '';
alter table flag_tags add column flag_created_at bigint not null default 0;
update flag_tags
   set project_id = (select f.project_id from flags f where f.id = flag_tags.flag_id),
       flag_created_at = (select f.created_at from flags f where f.id = flag_tags.flag_id);
create index flag_tags_created_at on flag_tags (project_id, name, flag_created_at, flag_id);
