-- The board of the flag list shows the flags that are longest in their status first.
create index flags_status_at on flags (project_id, rollout_status_at, id);
