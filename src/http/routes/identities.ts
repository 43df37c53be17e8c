import type { Context } from '#commands/context.ts';
import { deleteIdentity, type IdentityPlace, patchIdentity, saveIdentities } from '#commands/identities.ts';
import * as contract from '#contract/identities.ts';
import {
  type Identity,
  type IdentityUpdate,
  parseIdentities,
  parseIdentity,
  toIdentityReply,
} from '#domain/identities.ts';
import { Problem } from '#domain/problems.ts';
import { findIdentities, listIdentities } from '#store/identities.ts';
import type { Reader } from '#store/sql.ts';
import { type Markers, markerPage } from '../paging/markers.ts';
import { implement } from '../pipeline/implement.ts';

interface Options {
  readonly accountId: string;
  readonly markers: Markers;
}

/** The vendor's answer to several has these, always null. */
const nothing = { metadata: null, offset: null, limit: null, count: null, total: null };

export const identities = (db: Reader, { accountId, markers }: Options) => {
  const shown = (identity: Identity) => toIdentityReply(identity, accountId);
  const idsOf = ({ trafficType, environment }: IdentityPlace) => ({
    trafficTypeId: trafficType.id,
    environmentId: environment.id,
  });
  const patch = async (context: Context, place: IdentityPlace, update: IdentityUpdate) => {
    const identity = await patchIdentity(context, place, update);
    if (!identity) throw new Error('a patch returned no identity');
    return shown(identity);
  };
  return implement(contract, {
    listIdentities: async ({ trafficType, environment, query: { searchPrefix: prefix, ...page } }) =>
      markerPage(markers, page, contract.listIdentities.pageSize, {
        list: async (slice) => ({
          items: await listIdentities(db, { ...idsOf({ trafficType, environment }), prefix, ...slice }),
        }),
        positionOf: ({ key }) => ({ at: 0, id: key }),
        show: async (found) => found.map(shown),
      }),
    getIdentity: async ({ trafficType, environment, params: { identity: key } }) => {
      const [found] = await findIdentities(db, idsOf({ trafficType, environment }), [key]);
      if (!found) throw new Problem('identity_not_found', { nameOrId: key });
      return shown(found);
    },
    saveIdentities: async ({ context, trafficType, environment, body }) => {
      const { valid, failed } = parseIdentities(body);
      const saved = valid.length > 0 ? await saveIdentities(context, { trafficType, environment }, valid) : [];
      return { objects: saved.map(shown), failed, ...nothing };
    },
    replaceIdentity: async ({ context, trafficType, environment, params, body }) => {
      const [saved] = await saveIdentities(context, { trafficType, environment }, [
        parseIdentity(body, params.identity),
      ]);
      if (!saved) throw new Error('no identity was saved');
      return shown(saved);
    },
    patchIdentity: async ({ context, trafficType, environment, params, body }) =>
      patch(context, { trafficType, environment }, parseIdentity(body, params.identity)),
    patchIdentityNamedInBody: async ({ context, trafficType, environment, body }) =>
      patch(context, { trafficType, environment }, parseIdentity(body)),
    patchIdentityByPost: async ({ context, trafficType, environment, params, body }) =>
      patch(context, { trafficType, environment }, parseIdentity(body, params.identity)),
    deleteIdentity: async ({ context, trafficType, environment, params }) =>
      deleteIdentity(context, { trafficType, environment }, params.identity),
  });
};
