-- The number of the last change of the list of groups: it tells whether a total that was counted still holds.
alter table account add column group_changes bigint not null default 0;
