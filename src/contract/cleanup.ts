import { Type } from 'typebox';
import { CleanupFlag, CleanupPoint, CleanupPolicy, cleanupGroups, Keep, KeepBody } from '#domain/cleanup.ts';
import { extend, OneOf, Reference } from '#domain/schema.ts';
import { endpoint } from './endpoint.ts';
import { OffsetListing, OffsetPage, True } from './parts.ts';

const pageSize = { default: 50, max: 100 };
const Counts = Type.Object(
  Object.fromEntries(cleanupGroups.map((group) => [group, Type.Integer()])) as Record<
    (typeof cleanupGroups)[number],
    ReturnType<typeof Type.Integer>
  >,
);

export const listCleanup = endpoint({
  method: 'GET',
  path: '/cleanup/ws/:project',
  summary: 'List flags that look finished',
  description:
    'With the evidence, grouped by what to do next, in each group the longest at one treatment first. Flags that are ' +
    'kept or in use are listed only with `group`. Changes of definitions show within a minute. An addition to the ' +
    'vendor’s API.',
  access: { needs: 'flag.read', scope: 'project' },
  pageSize,
  query: extend(
    OffsetPage(pageSize),
    Type.Object({
      group: Type.Optional(
        OneOf(cleanupGroups, {
          description:
            '`safe`: no SDK asks, no code names it. `code`: everyone gets one treatment, or no SDK asks, but code may ' +
            'still name it. `killed`: for long. `rules`: a rule names an unknown segment or a date that has passed. ' +
            '`kept`: it would be in one of these. `in-use`: all others.',
        }),
      ),
      owner: Type.Optional(Type.String({ maxLength: 255, description: 'id of a user or group that owns the flag' })),
      points: Type.Optional(OneOf(['true'], { description: 'adds all flags of the project in short, for a picture' })),
    }),
  ),
  reply: extend(
    OffsetListing(CleanupFlag),
    Type.Object({
      policy: CleanupPolicy,
      environments: Type.Array(Reference, { description: 'those that decide' }),
      counts: Counts,
      points: Type.Optional(Type.Array(CleanupPoint)),
    }),
  ),
  showsHousekeeping: true,
  problems: ['too_many_large_responses'],
});

export const changeCleanupPolicy = endpoint({
  method: 'PUT',
  path: '/cleanup/ws/:project/policy',
  summary: 'Change when flags count as finished',
  description: 'An addition to the vendor’s API.',
  access: { needs: 'project.write', scope: 'project' },
  body: CleanupPolicy,
  reply: CleanupPolicy,
  problems: [],
});

const ofFlag = '/splits/ws/:project/:flag/keep';
const access = { needs: 'flag.write', scope: 'project' } as const;

export const keepFlag = endpoint({
  method: 'PUT',
  path: ofFlag,
  summary: 'Keep a flag that looks finished',
  description: 'It is not listed for cleanup until then. An addition to the vendor’s API.',
  access,
  body: KeepBody,
  reply: Keep,
  problems: [],
});

export const unkeepFlag = endpoint({
  method: 'DELETE',
  path: ofFlag,
  summary: 'Keep a flag no longer',
  description: 'It is listed for cleanup again if it looks finished. An addition to the vendor’s API.',
  access,
  reply: True,
  problems: [],
});
