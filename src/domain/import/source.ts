/**
 * What an import reads: an account of Split, of another Burgee, or of an export file, in one shape. Names refer to
 * names within the same project, because ids of the source mean nothing here.
 */
import type { Algorithm, Seeds } from '../bucketing.ts';

/** What can be imported alone. Projects, environments and traffic types belong to each of them. */
export const sourceKinds = ['flags', 'segments', 'people'] as const;
export type SourceKind = (typeof sourceKinds)[number];

export interface SourceAccount {
  /** As people and audit entries name it: "Split (api.split.io)". */
  readonly name: string;
  readonly projects: readonly SourceProject[];
  readonly groups: readonly SourceGroup[];
  readonly users: readonly SourceUser[];
  /** What could not be read, and why. The import continues without it. */
  readonly unread: readonly Unread[];
}

export interface Unread {
  readonly what: string;
  readonly why: string;
}

export interface SourceProject {
  readonly name: string;
  readonly requiresTitleAndComments: boolean;
  readonly environments: readonly SourceEnvironment[];
  readonly trafficTypes: readonly SourceTrafficType[];
  readonly rolloutStatuses: readonly string[];
  readonly flagSets: readonly SourceFlagSet[];
  readonly flags: readonly SourceFlag[];
  readonly segments: readonly SourceSegment[];
  /** Who may see the project; absent if everyone may. */
  readonly viewers?: readonly Person[] | undefined;
  /** Who may edit it; absent if everyone may. Only another Burgee has it. */
  readonly editors?: readonly Person[] | undefined;
}

export interface SourceEnvironment {
  readonly name: string;
  readonly production: boolean;
  /** False if there was no SDK key: the seeds of its definitions are unknown. */
  readonly hasSeeds: boolean;
  /** Who may edit; absent if everyone may. */
  readonly editors?: readonly Person[] | undefined;
  readonly approvers?: readonly Person[] | undefined;
  /** As SDKs get it, by name, for the comparison after an import. */
  readonly wire?: SourceWire | undefined;
}

export interface SourceWire {
  readonly flags: ReadonlyMap<string, Readonly<Record<string, unknown>>>;
  readonly segments: ReadonlyMap<string, Readonly<Record<string, unknown>>>;
}

export interface Person {
  readonly kind: 'user' | 'group' | 'api_key';
  /** Of a user, the email address. */
  readonly name: string;
}

export interface SourceTrafficType {
  readonly name: string;
  readonly displayAttributeId: string | undefined;
  /** Bodies as the Admin API takes them. */
  readonly attributes: readonly Readonly<Record<string, unknown> & { id: string }>[];
}

export interface SourceFlagSet {
  readonly name: string;
  readonly description: string;
}

export interface SourceFlag {
  readonly name: string;
  readonly description: string;
  readonly trafficType: string;
  readonly rolloutStatus: string | undefined;
  readonly tags: readonly string[];
  readonly owners: readonly Person[];
  readonly creationTime: number | undefined;
  readonly definitions: readonly SourceDefinition[];
}

export interface SourceDefinition {
  readonly environment: string;
  /** As the Admin API takes it, with names of flag sets instead of their ids. */
  readonly body: Readonly<Record<string, unknown>>;
  readonly flagSets: readonly string[];
  /** Unknown without an SDK key. New seeds put keys into new buckets. */
  readonly seeds: Seeds | undefined;
  readonly algorithm: Algorithm;
  readonly changeNumber: number | undefined;
}

export interface SourceSegment {
  readonly kind: 'standard' | 'large' | 'rule_based';
  readonly name: string;
  readonly description: string;
  readonly trafficType: string;
  readonly tags: readonly string[];
  /** The environments in which it is active. */
  readonly environments: readonly SourceActivation[];
}

export interface SourceActivation {
  readonly environment: string;
  /** Of a rule-based segment, as the Admin API takes it. */
  readonly definition?: Readonly<Record<string, unknown>> | undefined;
  readonly changeNumber: number | undefined;
  /** How many keys it has; undefined if it has none of its own or they cannot be read (then `unread` says why). */
  readonly keyCount: number | undefined;
  /** Read page by page when they are needed, because a segment may have millions. */
  readonly keys?: (() => AsyncIterable<readonly string[]>) | undefined;
}

export interface SourceGroup {
  readonly name: string;
  readonly description: string;
}

export interface SourceUser {
  readonly email: string;
  readonly name: string;
  /** False if deactivated. An invited user who has not signed in yet is active. */
  readonly isActive: boolean;
  readonly groups: readonly string[];
}
