-- Attributes that are declared for a traffic type. The id is the client's.
create table attributes (
  traffic_type_id text not null references traffic_types (id) on delete cascade,
  id text not null,
  display_name text not null,
  description text not null,
  -- Null: not said.
  data_type text,
  is_searchable boolean not null,
  -- A JSON array.
  suggested_values text not null,
  primary key (traffic_type_id, id)
);

-- A key with the values of its attributes, in one environment.
create table identities (
  traffic_type_id text not null references traffic_types (id) on delete cascade,
  environment_id text not null references environments (id) on delete cascade,
  key text not null,
  -- A JSON object: attribute id to text.
  attribute_values text not null,
  primary key (traffic_type_id, environment_id, key)
);
-- Environments are deleted with theirs.
create index identities_environment on identities (environment_id, key);
