-- `APPROVED`, and its author cannot apply it: it waits for somebody who can.
alter table changesets add column awaits_editor boolean not null default false;

-- What waits for somebody, in all projects and in one: such proposals do, too.
drop index changesets_waiting;
drop index changesets_waiting_project;
create index changesets_waiting on changesets (created_at, id)
  where state in ('REQUESTED', 'SCHEDULE_REQUESTED') or awaits_editor;
create index changesets_waiting_project on changesets (project_id, created_at, id)
  where state in ('REQUESTED', 'SCHEDULE_REQUESTED') or awaits_editor;
