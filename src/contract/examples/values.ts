/** What the examples share. */
import type { Static, TSchema } from 'typebox';
import type { Body, Endpoint } from '../endpoint.ts';

type BodyOf<E extends Endpoint> = E extends { readonly looseBody: infer Schema extends TSchema }
  ? { readonly body: Static<Schema> }
  : E extends { readonly body: TSchema } | { readonly textBody: true }
    ? { readonly body: Body<E> }
    : { readonly body?: never };
type ExampleOf<E> = E extends Endpoint ? BodyOf<E> & { readonly reply: Static<E['reply']> } : never;

/** For each endpoint of a resource, by name, which is its `operationId`. */
export type ExamplesOf<Endpoints> = { readonly [Name in keyof Endpoints]: ExampleOf<Endpoints[Name]> };

export const at = 1_767_225_600_000;

export const ids = {
  account: '019b76da-a800-7000-8000-00000000ac01',
  project: '019b76da-a800-7000-8000-0000000000a1',
  environment: '019b76da-a800-7000-8000-0000000000e1',
  otherFlag: '019b76da-a800-7000-8000-0000000000f2',
  trafficType: '019b76da-a800-7000-8000-0000000000c1',
  status: '019b76da-a800-7000-8000-0000000000b1',
  flag: '019b76da-a800-7000-8000-0000000000f1',
  segment: '019b76da-a800-7000-8000-000000000061',
  user: '019b76da-a800-7000-8000-0000000000d1',
  group: '019b76da-a800-7000-8000-000000000091',
  administrators: '019b76da-a800-7000-8000-000000000090',
  key: '019b76da-a800-7000-8000-000000000081',
  changeRequest: '019b76da-a800-7000-8000-000000000061',
  changeset: '019b76da-a800-7000-8000-000000000031',
  largeSegment: '019b76da-a800-7000-8000-000000000051',
  session: '019b76da-a800-7000-8000-000000000071',
};

export const environmentReference = { id: ids.environment, name: 'Staging-Default' };

export const trafficTypeReference = { id: ids.trafficType, name: 'user' };

export const page = <Item>(item: Item, limit: number) => ({ objects: [item], offset: 0, limit, totalCount: 1 });

export const markerPage = <Item>(item: Item, limit: number) => ({
  data: [item],
  nextMarker: null,
  previousMarker: null,
  limit,
  count: 1,
});

export const replace = (path: string, value: unknown) => [{ op: 'replace' as const, path, value }];
