/** The items of a plan while it is made, and how each of them is decided. */
import { NewEnvironment } from '../environments.ts';
import { NewFlagSet } from '../flag-sets.ts';
import { NewFlag } from '../flags.ts';
import { NewGroup } from '../groups.ts';
import { canonicalText } from '../json.ts';
import { Problem } from '../problems.ts';
import { NewProject } from '../projects.ts';
import { NewSegment, SegmentDetails, type SegmentKind } from '../segments.ts';
import { shapeOf } from '../shapes.ts';
import { NewTrafficType } from '../traffic-types.ts';
import {
  type Action,
  type Choices,
  type Here,
  type HereProject,
  type Item,
  importedKey,
  type Kind,
  kinds,
  type Plan,
  type Rebucketing,
} from './plan.ts';
import type { SourceAccount, SourceEnvironment, SourceProject } from './source.ts';

/** The reason if the body is refused. */
export function refusalOf(check: () => void): string | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    if (error instanceof Problem) return error.details || error.message;
    throw error;
  }
}

const shapes = {
  group: shapeOf(NewGroup),
  project: shapeOf(NewProject),
  environment: shapeOf(NewEnvironment),
  traffic_type: shapeOf(NewTrafficType),
  flag_set: shapeOf(NewFlagSet),
  segment: shapeOf(NewSegment),
  flag: shapeOf(NewFlag),
  details: shapeOf(SegmentDetails),
};

export const complaintAbout = (shape: keyof typeof shapes, body: unknown): string | undefined =>
  shapes[shape].complaints(body)[0];

interface Compared {
  readonly ours: string | undefined;
  readonly theirs: string;
  /** Of the source at the last import. */
  readonly base: string | undefined;
}

export type Decision = Pick<Item, 'action' | 'reason' | 'isNew'>;

export function decide({ ours, theirs, base }: Compared): Decision {
  if (ours === undefined) {
    return base === undefined
      ? { action: 'create' }
      : { action: 'left_out', reason: 'It was imported before and is no longer here.' };
  }
  if (ours === theirs) return base === theirs ? { action: 'same' } : { action: 'same', isNew: true };
  if (base === undefined) return { action: 'conflict', reason: 'It exists here with other content.' };
  if (base === theirs) return { action: 'same' };
  if (base === ours) return { action: 'update' };
  return { action: 'conflict', reason: 'It was changed both here and at the source since the last import.' };
}

/** Where the objects of a project go. */
export interface Place {
  readonly source: SourceProject;
  readonly name: string;
  readonly found: HereProject | undefined;
  /** Whether an import made the project. The access lists of others stay. */
  readonly isOwn: boolean;
  readonly rolloutStatuses: ReadonlySet<string>;
  /** Names that will exist after the import. */
  readonly trafficTypes: Set<string>;
  readonly flags: Set<string>;
  readonly segments: Map<string, SegmentKind>;
  readonly environments: ReadonlyMap<string, SourceEnvironment>;
}

export class PlanItems {
  readonly source: SourceAccount;
  readonly here: Here;
  readonly choices: Choices;
  readonly #items: Item[] = [];
  readonly rebucketed: Rebucketing[] = [];
  readonly gone: Pick<Item, 'kind' | 'project' | 'environment' | 'name'>[] = [];

  constructor(source: SourceAccount, here: Here, choices: Choices) {
    this.source = source;
    this.here = here;
    this.choices = choices;
  }

  result(): Plan {
    const counts = Object.fromEntries(
      kinds.map((kind) => [kind, { create: 0, update: 0, same: 0, conflict: 0, left_out: 0 }]),
    ) as Record<Kind, Record<Action, number>>;
    for (const { kind, action } of this.#items) counts[kind][action] += 1;
    const { name: source, unread } = this.source;
    return { source, items: this.#items, counts, rebucketed: this.rebucketed, unread, gone: this.gone };
  }

  /** Answers whether the object will be here after the import. */
  add<K extends Kind>(item: Omit<Item<K>, 'hash'> & { readonly hash?: string }): boolean {
    if (this.choices.only && !this.choices.only.includes(item.kind)) return false;
    const isWritten = item.action === 'create' || item.action === 'update';
    const { wanted, ...rest } = item;
    this.#items.push({ ...rest, hash: item.hash ?? '', ...(isWritten ? { wanted } : {}) } as Item);
    return item.action !== 'left_out';
  }

  /** For objects that are the same if their names are. */
  addNamed<K extends Kind>(
    item: Omit<Item<K>, 'hash' | 'action'>,
    { isHere, refusal }: { isHere: boolean; refusal: string | undefined },
  ): boolean {
    if (isHere) return this.add({ ...item, action: 'same' } as Omit<Item, 'hash'>);
    const decision: Decision = refusal === undefined ? { action: 'create' } : { action: 'left_out', reason: refusal };
    return this.add({ ...item, ...decision, reason: decision.reason ?? item.reason } as Omit<Item, 'hash'>);
  }

  /** What is remembered of its last import. `place`: the id of its project or environment here. */
  importedAs(place: string | undefined, kind: Kind, name: string) {
    return place === undefined ? undefined : this.here.imported.get(importedKey(place, kind, name));
  }

  hash(value: unknown): string {
    return this.here.hashOf(typeof value === 'string' ? value : canonicalText(value));
  }
}
