/** Lists read completely, page by page, to choose from, search and count. */
import { queryOptions } from '@tanstack/react-query';
import { listApiKeys } from '#contract/api-keys.ts';
import { listGroups } from '#contract/groups.ts';
import { listUsers } from '#contract/users.ts';
import { type Answer, call, keyOf } from '../server/api.ts';
import type { ApiProblem } from '../server/api-problem.ts';

export type UserAnswer = Answer<typeof listUsers>['data'][number];
export type GroupAnswer = Answer<typeof listGroups>['objects'][number];
export type ApiKeyAnswer = Answer<typeof listApiKeys>['objects'][number];

/** Longer lists are cut off here, to limit the number of requests. */
const maxPages = 10;

export interface Everyone {
  readonly people: readonly UserAnswer[];
  /** False if the list was cut off. */
  readonly isWhole: boolean;
}

/** All users, whatever their status. */
export const everyoneReading = queryOptions<Everyone, ApiProblem>({
  queryKey: [...keyOf(listUsers), 'everyone'],
  queryFn: () => readEveryone(maxPages),
});

/** Without a limit: everyone, in several requests if needed. */
export async function readEveryone(pages = Number.POSITIVE_INFINITY): Promise<Everyone> {
  const people: UserAnswer[] = [];
  let after: string | undefined;
  for (let page = 0; page < pages; page += 1) {
    const { data, nextMarker } = await call(listUsers, { query: { after, limit: listUsers.pageSize.max } });
    people.push(...data);
    if (nextMarker === null) return { people, isWhole: true };
    after = nextMarker;
  }
  return { people, isWhole: false };
}

export const groupsReading = queryOptions<GroupAnswer[], ApiProblem>({
  queryKey: [...keyOf(listGroups), 'all'],
  queryFn: () => untilTotal((offset) => call(listGroups, { query: { offset, limit: listGroups.pageSize.max } })),
});

export const apiKeysReading = queryOptions<ApiKeyAnswer[], ApiProblem>({
  queryKey: [...keyOf(listApiKeys), 'all'],
  queryFn: () => untilTotal((offset) => call(listApiKeys, { query: { offset, limit: listApiKeys.pageSize.max } })),
});

interface Page<Item> {
  readonly objects: readonly Item[];
  readonly totalCount: number;
}

async function untilTotal<Item>(read: (offset: number) => Promise<Page<Item>>): Promise<Item[]> {
  const found: Item[] = [];
  for (let page = 0; page < maxPages; page += 1) {
    const { objects, totalCount } = await read(found.length);
    found.push(...objects);
    if (objects.length === 0 || found.length >= totalCount) break;
  }
  return found;
}
