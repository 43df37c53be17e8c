-- Projects change their rollout statuses. Whether cleanup leaves flags with the status alone; null: only if it is
-- called Permanent, as before.
alter table rollout_statuses add column is_permanent boolean;
create unique index rollout_statuses_name_key on rollout_statuses (project_id, name);
