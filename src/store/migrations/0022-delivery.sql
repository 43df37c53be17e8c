-- Keys that changed after a number, in order, page by page: the key makes the order complete.
create index segment_keys_changed on segment_keys (environment_id, segment, change_number, key) where change_number > 0;
drop index segment_keys_change_number;
-- What changed in an environment after a number.
create index segment_environments_change_number on segment_environments (environment_id, change_number);
create index segment_tombstones_change_number on segment_tombstones (environment_id, change_number);
