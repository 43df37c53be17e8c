-- Which night's backup was made last, as the instant when it was due, and until when somebody is making the next one:
-- of several nodes one makes it.
alter table account add column backup_made_for bigint not null default 0;
alter table account add column backup_claimed_until bigint not null default 0;
