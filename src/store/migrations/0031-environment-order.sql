-- The ids of the project's environments in the order that people chose, as JSON. Null: production last, each by creation.
alter table projects add column environment_order text;
