-- Nearly everyone is active. An index by status took SQLite from the few people that a statement names to all of them.
drop index users_status;
create index users_pending on users (created_at, id) where status = 'PENDING';
create index users_deactivated on users (created_at, id) where status = 'DEACTIVATED';
