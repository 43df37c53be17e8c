import { type Static, Type } from 'typebox';
import { equalJson } from './json.ts';
import { applyPatch, type Operation } from './json-patch.ts';
import { refuse } from './problems.ts';
import { Description, extend, LastTraffic, Millis, NullableArray, OneOf, patterns, Reference } from './schema.ts';
import { shapeOf } from './shapes.ts';

const reservedNames = ['datetime', 'string', 'set', 'integer'];

export const NewFlag = Type.Object({
  name: Type.String({ pattern: patterns.flagName, minLength: 2, maxLength: 255 }),
  description: Type.Optional(Description),
});

/** A copy of a flag under another name. */
export const FlagCopy = Type.Object({
  name: NewFlag.properties.name,
  description: Type.Optional(Type.Unsafe<string>({ ...Description, description: 'that of the copied flag if absent' })),
  environments: Type.Optional(
    Type.Array(Type.String({ maxLength: 255 }), {
      maxItems: 200,
      description: 'the environments whose definitions are copied, by id or name; all if absent',
    }),
  ),
  tags: Type.Optional(Type.Boolean({ description: 'whether tags are copied; default true' })),
  owners: Type.Optional(
    Type.Boolean({
      description: 'whether owners are copied; otherwise the caller owns the copy, if a user. Default false',
    }),
  ),
  sameSeeds: Type.Optional(
    Type.Boolean({
      description:
        'whether percentages select the same keys as in the copied flag, for example to give it another name. Default ' +
        'false: they select other keys, so that the two rollouts are independent',
    }),
  ),
});
export type FlagCopy = Static<typeof FlagCopy>;

const Tag = Type.Object({ name: Type.String({ pattern: patterns.tag, minLength: 1, maxLength: 255 }) });
export const Owner = Type.Object({ id: Type.String(), type: OneOf(['user', 'group']) });
export type Owner = Static<typeof Owner>;
/** Per flag. More people belong in a group. */
const maxOwners = 20;

/** The reply to creating and changing a flag. */
export const Flag = Type.Object({
  id: Type.String(),
  name: Type.String(),
  description: Type.String(),
  trafficType: Reference,
  creationTime: Millis,
  rolloutStatus: Reference,
  rolloutStatusTimestamp: Millis,
  tags: NullableArray(Tag),
  archivedAt: Type.Optional(
    Type.Unsafe<number>({ ...Millis, description: 'Only of an archived flag. An addition to the vendor’s API.' }),
  ),
});
/** The reply to reading a flag. */
export const FlagWithOwners = extend(
  Flag,
  Type.Object({ owners: Type.Array(Owner), lastTrafficReceivedAt: Type.Optional(LastTraffic) }),
);

/** A stored flag. `revision` changes with every change and makes its ETag. Traffic is no part of it. */
export type Flag = Omit<Static<typeof FlagWithOwners>, 'lastTrafficReceivedAt'> & { readonly revision: number };

/** A flag with a rule that depends on another flag, and the environment of that rule. */
export const Dependent = Type.Object({ flag: Reference, environment: Reference });
export type Dependent = Static<typeof Dependent>;

/** What a definition repeats of its flag. */
export type DefinedFlag = Pick<Flag, 'id' | 'name' | 'trafficType'>;

export function checkFlagName(name: string): void {
  refuse('flag_invalid', reservedNames.includes(name) ? [`name must not be ${name}: that word is reserved`] : []);
}

/** What a patch may change. */
export interface FlagSettings {
  readonly description: string;
  readonly tags: readonly string[];
  readonly rolloutStatusId: string;
  readonly owners: readonly Owner[];
}

const patchable = {
  mayName: /^\/(description|tags|tags\/(\d+|-)|rolloutStatus|rolloutStatus\/id|owners|owners\/(\d+|-))$/,
  changeable: ['description', 'tags', 'rolloutStatus', 'owners'],
  impliedLists: /^\/tags\/-$/,
};

const PatchedFlag = shapeOf(
  Type.Object({
    description: Description,
    tags: Type.Array(Tag, { maxItems: 100 }),
    rolloutStatus: Type.Object({ id: Type.String() }),
    owners: Type.Array(Owner, { maxItems: maxOwners }),
  }),
  'flag',
);

/**
 * Returns the settings after the patch, or refuses with `patch_invalid` or `flag_invalid`. The caller checks that the
 * status and the owners exist.
 */
export function patchFlag(flag: Flag, operations: readonly Operation[]): FlagSettings {
  const { description: text, tags: tagged, rolloutStatus: status, owners: owning } = flag;
  const before = { description: text, tags: tagged ?? [], rolloutStatus: status, owners: owning };
  const after = tidy(applyPatch(before, operations, patchable));
  refuse('flag_invalid', PatchedFlag.complaints(after));
  const { description, tags, rolloutStatus, owners } = PatchedFlag.clean(after);
  const names = tags.map((tag) => tag.name);
  refuse('flag_invalid', new Set(names).size < names.length ? ['tags must not repeat a name'] : []);
  return { description, tags: names, rolloutStatusId: rolloutStatus.id, owners: eachOnce(owners) };
}

/** Adding an owner again changes nothing, so that one patch can be sent for many flags. */
const eachOnce = (owners: readonly Owner[]): Owner[] => [
  ...new Map(owners.map(({ id, type }) => [`${type} ${id}`, { id, type }])).values(),
];

/** Tags may be plain strings; a removed or null description or list becomes empty. */
function tidy(patched: unknown): unknown {
  const { description, tags, rolloutStatus, owners } = patched as {
    description?: unknown;
    tags?: unknown;
    rolloutStatus?: unknown;
    owners?: unknown;
  };
  const asTag = (tag: unknown) => (typeof tag === 'string' ? { name: tag } : tag);
  return {
    description: description ?? '',
    tags: Array.isArray(tags) ? tags.map(asTag) : (tags ?? []),
    rolloutStatus,
    owners: owners ?? [],
  };
}

type WithSettings = Pick<Flag, 'description' | 'tags' | 'rolloutStatus' | 'owners'>;

export const settingsOf = ({ description, tags, rolloutStatus, owners }: WithSettings): FlagSettings => ({
  description,
  tags: (tags ?? []).map(({ name }) => name),
  rolloutStatusId: rolloutStatus.id,
  owners,
});

const settings = {
  description: { path: '/description', op: 'replace', words: 'the description' },
  tags: { path: '/tags', op: 'add', words: 'the tags' },
  rolloutStatusId: { path: '/rolloutStatus/id', op: 'replace', words: 'the rollout status' },
  owners: { path: '/owners', op: 'add', words: 'the owners' },
} as const;

const members = Object.keys(settings) as (keyof FlagSettings)[];

/** The patch that leads to these settings. */
export const patchTo = (wanted: FlagSettings, which: readonly (keyof FlagSettings)[] = members): Operation[] =>
  which.map((key) => ({ op: settings[key].op, path: settings[key].path, value: wanted[key] }));

/** What takes a recorded change back: the patch, and what was changed again since. */
export function patchBack(before: WithSettings, after: WithSettings, flag: WithSettings) {
  const [was, made, now] = [settingsOf(before), settingsOf(after), settingsOf(flag)];
  const changed = members.filter((key) => !equalJson(was[key], made[key]) && !equalJson(was[key], now[key]));
  return {
    operations: patchTo(
      was,
      changed.filter((key) => equalJson(made[key], now[key])),
    ),
    conflicts: changed.filter((key) => !equalJson(made[key], now[key])).map((key) => settings[key].words),
  };
}

/**
 * A patch that started from `base` as one of the flag as it is now, and where both changed the same. A base that was
 * stored before owners could be changed has none.
 */
export function settingsNow(patch: readonly Operation[], stored: Omit<FlagSettings, 'owners'>, flag: Flag) {
  const now = settingsOf(flag);
  const base: FlagSettings = { owners: flag.owners, ...stored };
  const before = {
    ...flag,
    ...base,
    owners: [...base.owners],
    tags: base.tags.map((name) => ({ name })),
    rolloutStatus: { id: base.rolloutStatusId, name: '' },
  };
  const mine = patchFlag(before, patch);
  const changed = members.filter((key) => !equalJson(mine[key], base[key]));
  const both = changed.filter((key) => !equalJson(now[key], base[key]) && !equalJson(now[key], mine[key]));
  return {
    operations: patchTo(mine, changed),
    conflicts: both.map((key) => `someone else changed ${settings[key].words} too`),
  };
}
