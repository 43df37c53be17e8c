-- The calendar of changes shows every kill, however many other changes a day has.
create index changes_killed on changes (at, id) where action = 'definition.killed';
