-- Where an entry goes: a slow target delays no other. Nodes of the release before put mails only.
alter table outbox add column target text not null default 'mail';
-- Entries with the same key are delivered in the order of their positions, one at a time. Null: no order.
alter table outbox add column ordering_key text;
alter table outbox add column position bigint not null default 0;
create index outbox_target on outbox (target, due_at, id) where given_up_at is null;
create index outbox_order on outbox (ordering_key, position, id) where ordering_key is not null and given_up_at is null;
