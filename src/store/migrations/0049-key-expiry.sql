-- When a key stops working; null: never.
alter table api_keys add column expires_at bigint;
