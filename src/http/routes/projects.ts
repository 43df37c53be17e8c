import { deleteProjectWithContents } from '#commands/project-contents.ts';
import { copyProject } from '#commands/project-copies.ts';
import { createProject, deleteProject, patchProject } from '#commands/projects.ts';
import * as contract from '#contract/projects.ts';
import type { NewProjects } from '#domain/restrictions.ts';
import { toBoolean } from '#domain/schema.ts';
import { countProjects, listProjects } from '#store/projects.ts';
import type { Reader } from '#store/sql.ts';
import { offsetPage } from '../paging/offset.ts';
import { implement } from '../pipeline/implement.ts';
import { noteOf } from '../pipeline/notes.ts';

export const projects = (db: Reader, newProjects: NewProjects) =>
  implement(contract, {
    listProjects: async ({ actor, query }) => {
      const { name, nameOp = 'IS', organizationIdentifier, projectIdentifier, formerName } = query;
      const filter = { scope: actor.scope, name, nameOp, nameOrId: projectIdentifier, formerName };
      const asked = {
        ...(organizationIdentifier === undefined ? {} : { organizationIdentifier }),
        ...(projectIdentifier === undefined ? {} : { projectIdentifier }),
      };
      return offsetPage(query, contract.listProjects.pageSize, {
        list: async (page) =>
          (await listProjects(db, { ...filter, ...page })).map((project) => ({ ...project, ...asked })),
        count: () => countProjects(db, filter),
      });
    },
    createProject: async ({ context, body: { name, requiresTitleAndComments = false, environments = [] } }) => {
      const fields = {
        name,
        requiresTitleAndComments: toBoolean(requiresTitleAndComments),
        environments: environments.map((one) => ({ name: one.name, production: toBoolean(one.production ?? false) })),
      };
      return createProject(context, fields, newProjects);
    },
    patchProject: async ({ context, project, body }) => patchProject(context, project, body),
    copyProject: async ({ context, project, body }) => copyProject(context, project, body, newProjects),
    deleteProject: async ({ context, project, query, body }) => {
      const command = query.contents === 'delete' ? deleteProjectWithContents : deleteProject;
      return command(context, project, noteOf(query, body));
    },
  });
