/** Every way to remove one access declaration from the code. For each, at least one case of the matrix must fail. */
import { accountContract, contract } from '#contract/all.ts';
import { type Endpoint, needsNobody } from '#contract/endpoint.ts';
import { type Permission, permissions, type Role, roleNames, roles } from '#domain/access.ts';

/** Changes the declarations in this process and changes them back; a server started in between lacks the rule. */
export interface DeclaredMutation {
  readonly name: string;
  /** The endpoint that it is about, or the permission. */
  readonly at: string;
  readonly role?: Role;
  apply(): () => void;
}

/** The declaration of each endpoint: without its permission, without its scope, and without anything. */
export const ofEndpoints: readonly DeclaredMutation[] = Object.entries({ ...contract, ...accountContract }).flatMap(
  ([part, endpoints]) =>
    Object.entries<Endpoint>(endpoints).flatMap(([name, endpoint]) => {
      const { access } = endpoint;
      if (needsNobody(access)) return [];
      const to = (changed: Endpoint['access'], what: string): DeclaredMutation => ({
        name: `${part}.${name} without ${what}`,
        at: `${part}.${name}`,
        apply: () => {
          Object.assign(endpoint, { access: changed });
          return () => void Object.assign(endpoint, { access });
        },
      });
      if (access === 'signed-in') return [to('public', 'anything')];
      return [
        to('public', 'anything'),
        to('signed-in', 'a key'),
        // Every role has this one, so it asks for nothing.
        ...(access.needs === 'project.read' ? [] : [to({ ...access, needs: 'project.read' }, access.needs)]),
        ...(access.scope === 'environment' ? [] : [to({ ...access, scope: 'environment' }, `${access.scope} scope`)]),
      ];
    }),
);

/** The table of roles: each permission removed from a role that has it, and added to one that does not. */
export const ofRoles: readonly DeclaredMutation[] = roleNames.flatMap((role) =>
  permissions.map((permission): DeclaredMutation => {
    const now: readonly Permission[] = roles[role];
    const others = now.filter((one) => one !== permission);
    const has = others.length < now.length;
    return {
      name: `${role} ${has ? 'without' : 'with'} ${permission}`,
      role,
      at: permission,
      apply: () => {
        Object.assign(roles, { [role]: has ? others : [...now, permission] });
        return () => void Object.assign(roles, { [role]: now });
      },
    };
  }),
);
