-- When a flag was last evaluated in any environment, for the order and the filter of the flag list: one look for each flag.
create index flag_traffic_last on flag_traffic (flag_id, last_at);
drop index flag_traffic_flag;
