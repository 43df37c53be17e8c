import { createEnvironment, deleteEnvironment, moveEnvironment, patchEnvironment } from '#commands/environments.ts';
import * as contract from '#contract/environments.ts';
import { inOrder, parsePermissions, toEnvironmentDetails } from '#domain/environments.ts';
import { toBoolean } from '#domain/schema.ts';
import { type ApprovalRules, listApprovalRules } from '#store/approvals.ts';
import { findEnvironmentOrder, findFormerEnvironmentNames, listEnvironments } from '#store/environments.ts';
import type { Reader } from '#store/sql.ts';
import { implement } from '../pipeline/implement.ts';

export const environments = (db: Reader, accountId: string) =>
  implement(contract, {
    listEnvironments: async ({ actor, project, query }) => {
      const all = await listEnvironments(db, project.id, actor.scope);
      if (query.sort !== 'position') return all;
      const rules = await listApprovalRules(
        db,
        all.map(({ id }) => id),
        actor,
      );
      const needsApproval = new Map(rules.flatMap((one) => approvalNeeded(one)));
      const formerNames = await findFormerEnvironmentNames(db, project.id);
      return inOrder(all, await findEnvironmentOrder(db, project.id)).map((one) => ({
        ...one,
        needsApproval: needsApproval.get(one.id),
        formerNames: formerNames.get(one.id),
      }));
    },
    createEnvironment: async ({ context, project, body }) => {
      const { name, production = false, changePermissions, dataExportPermissions } = body;
      const permissions = parsePermissions(changePermissions, dataExportPermissions);
      const fields = { name, production: toBoolean(production), permissions };
      return toEnvironmentDetails(await createEnvironment(context, project, fields), accountId);
    },
    patchEnvironment: async ({ context, environment, body }) =>
      toEnvironmentDetails(await patchEnvironment(context, environment, body), accountId),
    moveEnvironment: async ({ context, environment, body }) => moveEnvironment(context, environment, body.before),
    deleteEnvironment: async ({ context, environment }) => deleteEnvironment(context, environment),
  });

const approvalNeeded = ({ environment, areRequired, isSkipper, allowKills }: ApprovalRules) =>
  areRequired && !isSkipper ? [[environment.id, allowKills ? 'unless-kill' : 'always'] as const] : [];
