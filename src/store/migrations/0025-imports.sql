-- How SDKs hash a key: 1 is the legacy hash, which only imported definitions have, 2 is murmur3.
alter table definitions add column algo bigint not null default 2;
