-- The history of one thing within a project, and of an environment: without these the whole log of the project is read.
create index changes_project_object on changes (project_id, object_id, at, id);
create index changes_environment on changes (environment_id, at, id);
