/** A plan: what an import would do with each object, and what it compares. */
import type { AttributeSettings } from '../attributes.ts';
import type { Algorithm, Bucketing, Seeds } from '../bucketing.ts';
import { type Targeting, toTargeting } from '../definitions/definition.ts';
import { canonicalText } from '../json.ts';
import type { SegmentRules } from '../rule-based-segments.ts';
import type { SegmentKind } from '../segments.ts';
import type { Person, SourceAccount, SourceActivation } from './source.ts';

/** In the order in which an import writes them; in an environment, the last three by their numbers at the source. */
export const kinds = [
  'group',
  'user',
  'project',
  'environment',
  'traffic_type',
  'attribute',
  'rollout_status',
  'flag_set',
  'segment',
  'flag',
  'activation',
  'rules',
  'keys',
  'definition',
  'restriction',
] as const;
export type Kind = (typeof kinds)[number];
export type Action = 'create' | 'update' | 'same' | 'conflict' | 'left_out';

/** What an import needs to write an object. Objects are named: it finds their ids when it writes. */
export interface Wanted {
  readonly group: { readonly description: string };
  readonly user: { readonly name: string; readonly groups: readonly string[]; readonly invite: boolean };
  readonly project: { readonly requiresTitleAndComments: boolean };
  readonly environment: { readonly production: boolean };
  readonly traffic_type: { readonly displayAttributeId: string | undefined };
  readonly attribute: { readonly trafficType: string; readonly settings: AttributeSettings };
  readonly rollout_status: never;
  readonly flag_set: { readonly description: string };
  readonly segment: SegmentContent & { readonly kind: SegmentKind };
  readonly flag: SegmentContent & { readonly rolloutStatus: string | undefined; readonly owners: readonly Person[] };
  readonly activation: Record<never, never>;
  readonly rules: { readonly rules: SegmentRules; readonly changeNumber: number | undefined };
  readonly keys: { readonly activation: SourceActivation; readonly isLarge: boolean };
  readonly definition: WantedDefinition;
  readonly restriction: { readonly list: 'view' | 'edit' | 'editors'; readonly people: readonly Person[] };
}

interface SegmentContent {
  readonly trafficType: string;
  readonly description: string;
  readonly tags: readonly string[];
}

export interface WantedDefinition {
  readonly targeting: Targeting;
  readonly flagSets: readonly string[];
  readonly seeds: Seeds | undefined;
  readonly algorithm: Algorithm;
  readonly changeNumber: number | undefined;
}

/** What is planned for an object. */
export interface Item<K extends Kind = Kind> {
  readonly kind: K;
  /** Names as they are here. */
  readonly project?: string | undefined;
  readonly environment?: string | undefined;
  readonly name: string;
  readonly action: Action;
  /** A sentence: why it is left out or a conflict, or what is missing. */
  readonly reason?: string | undefined;
  /** Of the content at the source. */
  readonly hash: string;
  /** What is here must still be this version when it is updated. */
  readonly ifMatch?: string | undefined;
  /** For what will be written. */
  readonly wanted?: Wanted[K] | undefined;
  /** It is here with this content, and no import knows that yet: then a change at the source would be a conflict. */
  readonly isNew?: true | undefined;
}

/** A live rollout whose seeds are unknown. */
export interface Rebucketing {
  readonly project: string;
  readonly environment: string;
  readonly flag: string;
  /** What keys of the rule get now: "on 50%". */
  readonly now: string;
  /** How many of the keys that a rule decides about get another treatment, 0 to 1. */
  readonly share: number;
  /** Whether the import accepts it. */
  readonly accepted: boolean;
}

export type Counts = Readonly<Record<Kind, Readonly<Record<Action, number>>>>;

export interface Plan {
  readonly source: string;
  readonly items: readonly Item[];
  readonly counts: Counts;
  readonly rebucketed: readonly Rebucketing[];
  readonly unread: SourceAccount['unread'];
  /** What was imported and is still here, but no longer at the source. An import deletes nothing. */
  readonly gone: readonly Pick<Item, 'kind' | 'project' | 'environment' | 'name'>[];
}

export interface Choices {
  /** Source project → project here, which is merged into or created. One that is not listed keeps its name. */
  readonly projects?: Readonly<Record<string, string>>;
  /** Only these projects of the source. */
  readonly onlyProjects?: readonly string[] | undefined;
  /** Only these kinds. */
  readonly only?: readonly Kind[] | undefined;
  /** By environment of the source: whether live rollouts with unknown seeds are imported with new ones. */
  readonly newSeeds?: Readonly<Record<string, 'leave_out' | 'accept'>>;
  /** Send invitations to people who were imported. */
  readonly invite?: boolean | undefined;
}

/** What is here, as far as the source names it. */
export interface Here {
  readonly groups: ReadonlySet<string>;
  /** By address as it is compared. */
  readonly users: ReadonlyMap<string, { readonly status: string }>;
  readonly projects: ReadonlyMap<string, HereProject>;
  /** What was imported: see `importedKey`. */
  readonly imported: ReadonlyMap<string, { readonly hash: string; readonly revision: number | undefined }>;
  readonly hashOf: (text: string) => string;
}

export interface HereProject {
  readonly id: string;
  readonly environments: ReadonlyMap<string, HereEnvironment>;
  readonly trafficTypes: ReadonlySet<string>;
  /** By traffic type and id, as `attributeName` writes it. */
  readonly attributes: ReadonlyMap<string, AttributeSettings>;
  readonly rolloutStatuses: ReadonlySet<string>;
  readonly flagSets: ReadonlySet<string>;
  readonly segments: ReadonlyMap<string, SegmentContent & { readonly kind: SegmentKind }>;
  readonly flags: ReadonlyMap<string, SegmentContent & { readonly rolloutStatus: string }>;
  /** Undefined if everyone may see it. */
  readonly viewers: readonly Person[] | undefined;
  readonly editors: readonly Person[] | undefined;
}

export interface HereEnvironment {
  readonly id: string;
  readonly editors: readonly Person[] | undefined;
  readonly activations: ReadonlyMap<string, HereActivation>;
  readonly definitions: ReadonlyMap<string, Bucketing & { readonly hash: string; readonly etag: string }>;
}

export interface HereActivation {
  readonly changeNumber: number;
  readonly keyCount: number;
  /** The hash of the rules of a rule-based segment, if it has any. */
  readonly rules: string | undefined;
}

export const importedKey = (place: string, kind: Kind, name: string): string => `${place}\n${kind}\n${name}`;
export const attributeName = (trafficType: string, id: string): string => `${trafficType}/${id}`;

/** What is compared of a definition, with the names of its flag sets. */
export const definitionContent = (targeting: Targeting, flagSets: readonly string[]): string =>
  canonicalText({ ...toTargeting({ ...targeting, flagSets: [] }), flagSets: flagSets.toSorted() });
export const rulesContent = (rules: SegmentRules): string => canonicalText(rules);

/** Stands for the hash while keys are written in several transactions. */
export const partlyImported = 'partial';
