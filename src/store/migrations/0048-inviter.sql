-- Who invites, as the invited person reads it; null: a key or an operator.
alter table invitations add column invited_by text;
