-- What waits for somebody, in all projects and in one: schedules do, too.
drop index changesets_waiting;
create index changesets_waiting on changesets (created_at, id) where state in ('REQUESTED', 'SCHEDULE_REQUESTED');
create index changesets_waiting_project on changesets (project_id, created_at, id)
  where state in ('REQUESTED', 'SCHEDULE_REQUESTED');
