-- With the number in the index, finding the segments of a key reads no rows: those are spread over the whole table.
create index segment_keys_member on segment_keys (environment_id, key, segment, change_number) where is_removed = false;
drop index segment_keys_key;
