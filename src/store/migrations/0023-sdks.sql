-- What nodes tell each other about connected SDKs, for people who look at it now. Rows live for about a minute.
create table sdk_watches (
  environment_id text primary key references environments (id) on delete cascade,
  watched_until bigint not null
);
create index sdk_watches_until on sdk_watches (watched_until);

create table sdk_sightings (
  environment_id text not null references environments (id) on delete cascade,
  -- Chosen by the node at its start.
  node text not null,
  written_at bigint not null,
  -- A JSON object.
  content text not null,
  primary key (environment_id, node)
);
create index sdk_sightings_written_at on sdk_sightings (written_at);
