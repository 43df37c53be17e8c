/**
 * Compares what a source has with what is here, and says what an import would do. Planning again after an import, or
 * after a part of it, gives the rest: there is no other memory than `imported_objects`.
 *
 * What is compared of an object is its content, as a hash: at the source now, here now, and at the source when it was
 * last imported. The side that changed since then wins; if both did, it is a conflict, and what is here stays.
 */
import { type AttributeSettings, parseAttribute } from '../attributes.ts';
import { type Bucket, checkTargeting, dependenciesOf, type Targeting } from '../definitions/definition.ts';
import { parseSegmentRules, parseTargeting } from '../definitions/parse.ts';
import { referencesOf } from '../definitions/references.ts';
import { NewEnvironment } from '../environments.ts';
import { NewFlagSet } from '../flag-sets.ts';
import { checkFlagName, NewFlag } from '../flags.ts';
import { administrators, NewGroup } from '../groups.ts';
import { canonicalText } from '../json.ts';
import { Problem, refuse } from '../problems.ts';
import { NewProject } from '../projects.ts';
import { defaultRolloutStatuses } from '../rollout-statuses.ts';
import {
  checkSegmentRules,
  type ExcludedType,
  excludedTypeOf,
  flagsNamedIn,
  referencesOf as referencesOfRules,
  type SegmentRules,
  withTypes,
} from '../rule-based-segments.ts';
import { maxKeys, NewSegment, SegmentDetails, type SegmentKind } from '../segments.ts';
import { shapeOf } from '../shapes.ts';
import { NewTrafficType } from '../traffic-types.ts';
import { emailKey, isEmail } from '../users.ts';
import { onCycles } from './cycles.ts';
import {
  type Action,
  attributeName,
  type Choices,
  definitionContent,
  type Here,
  type HereActivation,
  type HereEnvironment,
  type HereProject,
  type Item,
  importedKey,
  type Kind,
  kinds,
  type Plan,
  partlyImported,
  type Rebucketing,
  rulesContent,
} from './plan.ts';
import type {
  Person,
  SourceAccount,
  SourceActivation,
  SourceDefinition,
  SourceEnvironment,
  SourceFlag,
  SourceProject,
  SourceSegment,
} from './source.ts';

/** Long accounts take long: it yields after every few objects, so that others can work in between. */
export function* planImport(source: SourceAccount, here: Here, choices: Choices = {}): Generator<void, Plan> {
  const plan = new Planner(source, here, choices);
  plan.people();
  yield;
  for (const project of source.projects) {
    if (choices.onlyProjects && !choices.onlyProjects.includes(project.name)) continue;
    yield* plan.project(project);
  }
  return plan.result();
}

/** The reason if the body is refused. */
function refusalOf(check: () => void): string | undefined {
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

const complaintAbout = (shape: keyof typeof shapes, body: unknown): string | undefined =>
  shapes[shape].complaints(body)[0];

interface Compared {
  readonly ours: string | undefined;
  readonly theirs: string;
  /** Of the source at the last import. */
  readonly base: string | undefined;
}

type Decision = Pick<Item, 'action' | 'reason' | 'isNew'>;

function decide({ ours, theirs, base }: Compared): Decision {
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
interface Place {
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

class Planner {
  readonly #source: SourceAccount;
  readonly #here: Here;
  readonly #choices: Choices;
  readonly #items: Item[] = [];
  readonly #rebucketed: Rebucketing[] = [];
  readonly #gone: Pick<Item, 'kind' | 'project' | 'environment' | 'name'>[] = [];

  constructor(source: SourceAccount, here: Here, choices: Choices) {
    this.#source = source;
    this.#here = here;
    this.#choices = choices;
  }

  result(): Plan {
    const counts = Object.fromEntries(
      kinds.map((kind) => [kind, { create: 0, update: 0, same: 0, conflict: 0, left_out: 0 }]),
    ) as Record<Kind, Record<Action, number>>;
    for (const { kind, action } of this.#items) counts[kind][action] += 1;
    const { name: source, unread } = this.#source;
    return { source, items: this.#items, counts, rebucketed: this.#rebucketed, unread, gone: this.#gone };
  }

  #add<K extends Kind>(item: Omit<Item<K>, 'hash'> & { readonly hash?: string }): boolean {
    if (this.#choices.only && !this.#choices.only.includes(item.kind)) return false;
    const isWritten = item.action === 'create' || item.action === 'update';
    const { wanted, ...rest } = item;
    this.#items.push({ ...rest, hash: item.hash ?? '', ...(isWritten ? { wanted } : {}) } as Item);
    return item.action !== 'left_out';
  }

  /** For objects that are the same if their names are. */
  #addNamed<K extends Kind>(
    item: Omit<Item<K>, 'hash' | 'action'>,
    { isHere, refusal }: { isHere: boolean; refusal: string | undefined },
  ): boolean {
    if (isHere) return this.#add({ ...item, action: 'same' } as Omit<Item, 'hash'>);
    const decision: Decision = refusal === undefined ? { action: 'create' } : { action: 'left_out', reason: refusal };
    return this.#add({ ...item, ...decision, reason: decision.reason ?? item.reason } as Omit<Item, 'hash'>);
  }

  #importedAs(place: string | undefined, kind: Kind, name: string) {
    return place === undefined ? undefined : this.#here.imported.get(importedKey(place, kind, name));
  }

  #hash(value: unknown): string {
    return this.#here.hashOf(typeof value === 'string' ? value : canonicalText(value));
  }

  people(): void {
    const groups = new Set(this.#here.groups);
    for (const { name, description } of this.#source.groups) {
      const refusal = complaintAbout('group', { name, description });
      if (
        this.#addNamed<'group'>({ kind: 'group', name, wanted: { description } }, { isHere: groups.has(name), refusal })
      )
        groups.add(name);
    }
    for (const { email, name, isActive, groups: own } of this.#source.users) {
      const found = this.#here.users.get(emailKey(email));
      const known = own.filter((group) => groups.has(group));
      const wanted = { name, groups: known, invite: this.#choices.invite === true };
      if (found) {
        const imported = this.#importedAs('', 'user', emailKey(email));
        const isAwaited = wanted.invite && found.status === 'PENDING' && imported !== undefined && !imported.revision;
        this.#add<'user'>({ kind: 'user', name: email, action: isAwaited ? 'update' : 'same', wanted });
        continue;
      }
      const refusal = !isActive
        ? 'The user is deactivated at the source.'
        : isEmail(email)
          ? undefined
          : 'The address is not one that a mail can be sent to.';
      const missing = own.length > known.length ? 'Some of the groups do not exist here.' : undefined;
      this.#addNamed<'user'>({ kind: 'user', name: email, reason: missing, wanted }, { isHere: false, refusal });
    }
  }

  *project(source: SourceProject): Generator<void> {
    const name = this.#choices.projects?.[source.name] ?? source.name;
    const found = this.#here.projects.get(name);
    const { requiresTitleAndComments } = source;
    const refusal = complaintAbout('project', { name });
    const isIn = this.#addNamed<'project'>(
      { kind: 'project', project: name, name, wanted: { requiresTitleAndComments } },
      { isHere: found !== undefined, refusal },
    );
    if (!isIn && !found) return;
    const place: Place = {
      source,
      name,
      found,
      isOwn: !found || this.#importedAs(found.id, 'project', name) !== undefined,
      rolloutStatuses: found?.rolloutStatuses ?? new Set(defaultRolloutStatuses.map((status) => status.name)),
      // Every new project has this one.
      trafficTypes: new Set(found?.trafficTypes ?? ['user']),
      flags: new Set(found?.flags.keys()),
      segments: new Map([...(found?.segments ?? [])].map(([segment, { kind }]) => [segment, kind])),
      environments: this.#environments(source, name, found),
    };
    this.#trafficTypes(place);
    this.#smallLists(place);
    yield;
    for (const segment of source.segments) {
      this.#segment(place, segment);
      yield;
    }
    for (const flag of source.flags) {
      this.#flag(place, flag);
      yield;
    }
    for (const segment of source.segments) yield* this.#activations(place, segment);
    yield* this.#definitions(place);
    this.#restrictions(place);
    yield* this.#deletions(place);
  }

  /** A list that is empty was perhaps not read. */
  *#deletions({ source, name: project, found }: Place): Generator<void> {
    if (!found) return;
    const missing = (kind: 'flag' | 'segment', here: Iterable<string>) => {
      const there = new Set((kind === 'flag' ? source.flags : source.segments).map(({ name }) => name));
      for (const name of there.size > 0 ? here : []) {
        if (!there.has(name) && this.#importedAs(found.id, kind, name)) this.#gone.push({ kind, project, name });
      }
    };
    missing('flag', found.flags.keys());
    yield;
    missing('segment', found.segments.keys());
    yield;
    const defined = new Set(
      source.flags.flatMap(({ name, definitions }) => definitions.map(({ environment }) => `${environment}\n${name}`)),
    );
    for (const [environment, { id, definitions }] of defined.size > 0 ? found.environments : []) {
      for (const name of definitions.keys()) {
        if (defined.has(`${environment}\n${name}`) || !this.#importedAs(id, 'definition', name)) continue;
        this.#gone.push({ kind: 'definition', project, environment, name });
      }
      yield;
    }
  }

  /** Those that will exist. */
  #environments({ environments }: SourceProject, project: string, found: HereProject | undefined) {
    return new Map(
      environments
        .filter(({ name, production }) =>
          this.#addNamed<'environment'>(
            { kind: 'environment', project, environment: name, name, wanted: { production } },
            { isHere: found?.environments.has(name) ?? false, refusal: complaintAbout('environment', { name }) },
          ),
        )
        .map((environment) => [environment.name, environment]),
    );
  }

  #trafficTypes({ source, name: project, found, trafficTypes }: Place): void {
    for (const { name, displayAttributeId, attributes } of source.trafficTypes) {
      const isIn = this.#addNamed<'traffic_type'>(
        { kind: 'traffic_type', project, name, wanted: { displayAttributeId } },
        { isHere: trafficTypes.has(name), refusal: complaintAbout('traffic_type', { name }) },
      );
      if (isIn) trafficTypes.add(name);
      for (const body of attributes) this.#attribute({ project, found }, { trafficType: name, isIn, body });
    }
  }

  #attribute(
    { project, found }: Pick<Place, 'found'> & { project: string },
    { trafficType, isIn, body }: { trafficType: string; isIn: boolean; body: { readonly id: string } },
  ): void {
    const item = { kind: 'attribute', project, name: attributeName(trafficType, body.id) } as const;
    let settings: AttributeSettings | undefined;
    const refusal = refusalOf(() => {
      settings = parseAttribute(body);
    });
    if (!isIn || !settings) {
      const reason = refusal ?? 'Its traffic type is left out.';
      this.#add<'attribute'>({ ...item, action: 'left_out', reason });
      return;
    }
    const ours = found?.attributes.get(item.name);
    const theirs = this.#hash(settings);
    const base = this.#importedAs(found?.id, 'attribute', item.name)?.hash;
    const decision = decide({ ours: ours && this.#hash(ours), theirs, base });
    this.#add<'attribute'>({ ...item, ...decision, hash: theirs, wanted: { trafficType, settings } });
  }

  #smallLists({ source, name: project, found, rolloutStatuses }: Place): void {
    for (const name of source.rolloutStatuses) {
      const isHere = rolloutStatuses.has(name);
      const refusal = 'The rollout statuses of a project are fixed here. Its flags get the first one.';
      this.#addNamed<'rollout_status'>({ kind: 'rollout_status', project, name }, { isHere, refusal });
    }
    for (const { name, description } of source.flagSets) {
      const refusal = complaintAbout('flag_set', { name, description, workspace: { id: project } });
      this.#addNamed<'flag_set'>(
        { kind: 'flag_set', project, name, wanted: { description } },
        { isHere: found?.flagSets.has(name) ?? false, refusal },
      );
    }
  }

  #segment({ name: project, found, trafficTypes, segments }: Place, segment: SourceSegment): void {
    const { name, kind, trafficType, description, tags } = segment;
    const content = { kind, trafficType, description, tags: [...new Set(tags)] };
    const refusal =
      complaintAbout('segment', { name, description }) ??
      complaintAbout('details', { tags: content.tags }) ??
      (trafficTypes.has(trafficType) ? undefined : `Its traffic type ${trafficType} is left out.`);
    const ours = found?.segments.get(name);
    const theirs = this.#hash(content);
    const base = this.#importedAs(found?.id, 'segment', name)?.hash;
    const isOther = ours && (ours.kind !== kind || ours.trafficType !== trafficType);
    const decision: Decision = isOther
      ? { action: 'conflict', reason: 'A segment of another kind or traffic type has its name here.' }
      : refusal === undefined
        ? decide({ ours: ours && this.#hash(ours), theirs, base })
        : { action: 'left_out', reason: refusal };
    const isIn = this.#add<'segment'>({ kind: 'segment', project, name, ...decision, hash: theirs, wanted: content });
    if (isIn && !isOther) segments.set(name, kind);
  }

  #flag({ name: project, found, rolloutStatuses, trafficTypes, flags }: Place, flag: SourceFlag): void {
    const { name, description, trafficType, tags, owners } = flag;
    const rolloutStatus = rolloutStatuses.has(flag.rolloutStatus ?? '') ? flag.rolloutStatus : undefined;
    const content = { trafficType, description, tags: [...new Set(tags)], rolloutStatus };
    const refusal =
      complaintAbout('flag', { name, description }) ??
      refusalOf(() => checkFlagName(name)) ??
      complaintAbout('details', { tags: content.tags }) ??
      (trafficTypes.has(trafficType) ? undefined : `Its traffic type ${trafficType} is left out.`);
    const ours = found?.flags.get(name);
    // A status that nobody has named is not compared.
    const compared = ours && { ...ours, rolloutStatus: rolloutStatus === undefined ? undefined : ours.rolloutStatus };
    const theirs = this.#hash(content);
    const base = this.#importedAs(found?.id, 'flag', name)?.hash;
    const decision: Decision =
      ours && ours.trafficType !== trafficType
        ? { action: 'conflict', reason: 'A flag of another traffic type has its name here.' }
        : refusal === undefined
          ? decide({ ours: compared && this.#hash(compared), theirs, base })
          : { action: 'left_out', reason: refusal };
    const wanted = { ...content, owners };
    if (this.#add<'flag'>({ kind: 'flag', project, name, ...decision, hash: theirs, wanted })) flags.add(name);
  }

  *#activations(place: Place, segment: SourceSegment): Generator<void> {
    const { name: project, found, segments } = place;
    const { name } = segment;
    for (const activation of segment.environments) {
      const { environment } = activation;
      const at = found?.environments.get(environment);
      const refusal =
        segments.get(name) !== segment.kind
          ? 'The segment is left out.'
          : place.environments.has(environment)
            ? undefined
            : `Its environment ${environment} is left out.`;
      const ours = at?.activations.get(name);
      const isIn = this.#addNamed<'activation'>(
        { kind: 'activation', project, environment, name, wanted: {} },
        { isHere: ours !== undefined, refusal },
      );
      if (!isIn && !ours) continue;
      if (segment.kind === 'rule_based') this.#rules(place, { segment, activation, at, ours });
      else this.#keys(place, { segment, activation, at, ours });
      yield;
    }
  }

  #rules(place: Place, { segment, activation, at, ours }: PlannedActivation): void {
    if (!activation.definition) return;
    const { name: project, flags, segments } = place;
    const { environment, changeNumber } = activation;
    const item = { kind: 'rules', project, environment, name: segment.name } as const;
    let rules: SegmentRules | undefined;
    const refusal = refusalOf(() => {
      rules = this.#parseRules(activation, segments);
      const known = new Set(flagsNamedIn(rules).filter((flag) => flags.has(flag)));
      refuse('rule_based_segment_invalid', checkSegmentRules(rules, known));
    });
    if (!rules || refusal !== undefined) {
      this.#add<'rules'>({ ...item, action: 'left_out', reason: refusal });
      return;
    }
    const theirs = this.#hash(rulesContent(rules));
    const base = this.#importedAs(at?.id, 'rules', segment.name)?.hash;
    const decision = decide({ ours: ours?.rules, theirs, base });
    this.#add<'rules'>({ ...item, ...decision, hash: theirs, wanted: { rules, changeNumber } });
  }

  /** The name of an excluded segment decides about its type, as it does when rules are saved. */
  #parseRules({ definition }: SourceActivation, segments: ReadonlyMap<string, SegmentKind>): SegmentRules {
    const types = [...segments].map(([name, kind]): [string, ExcludedType] => [name, excludedTypeOf[kind]]);
    return withTypes(parseSegmentRules(definition), new Map(types));
  }

  #keys({ name: project }: Place, { segment, activation, at, ours }: PlannedActivation): void {
    const { environment, keys, keyCount = 0, changeNumber } = activation;
    const item = { kind: 'keys', project, environment, name: segment.name } as const;
    const isLarge = segment.kind === 'large';
    const hash = `${changeNumber ?? ''}/${keyCount}`;
    const wanted = { activation, isLarge };
    const base = this.#importedAs(at?.id, 'keys', segment.name);
    if (!keys && keyCount === 0) return;
    const refusal = !keys
      ? 'Its keys cannot be read.'
      : !isLarge && keyCount > maxKeys
        ? `It has ${keyCount} keys; the limit is ${maxKeys}.`
        : undefined;
    if (refusal !== undefined) {
      this.#add<'keys'>({ ...item, action: 'left_out', reason: refusal });
      return;
    }
    this.#add<'keys'>({ ...item, ...decideKeys({ base, hash, ours, keyCount }), hash, wanted });
  }

  *#definitions(place: Place): Generator<void> {
    const { source, name: project, found } = place;
    const cyclic = yield* this.#cyclic(place);
    for (const flag of source.flags) {
      for (const definition of flag.definitions) {
        const { environment } = definition;
        const at = found?.environments.get(environment);
        const item = { kind: 'definition', project, environment, name: flag.name } as const;
        const refusal = !place.flags.has(flag.name)
          ? 'Its flag is left out.'
          : place.environments.has(environment)
            ? undefined
            : `Its environment ${environment} is left out.`;
        const isOnCycle = cyclic.has(`${environment} flag ${flag.name}`);
        const read = refusal === undefined ? this.#read(place, { flag, definition, isOnCycle }) : refusal;
        if (typeof read === 'string') this.#add<'definition'>({ ...item, action: 'left_out', reason: read });
        else this.#definition(place, { flag, definition, targeting: read, at });
        yield;
      }
    }
  }

  /** The targeting, or why it is refused. */
  #read(
    { flags }: Place,
    { flag, definition, isOnCycle }: { flag: SourceFlag; definition: SourceDefinition; isOnCycle: boolean },
  ): Targeting | string {
    let targeting: Targeting | undefined;
    const refusal = refusalOf(() => {
      const { flagSets: _, ...body } = definition.body;
      targeting = parseTargeting(body);
      const existingFlags = new Set(dependenciesOf(targeting).filter((name) => flags.has(name)));
      const surroundings = { flag: flag.name, existingFlags, dependentFlags: new Set<string>() };
      refuse('definition_invalid', checkTargeting(targeting, surroundings));
    });
    if (refusal !== undefined || !targeting) return refusal ?? '';
    return isOnCycle ? 'Its rules are part of a cycle of flags and segments.' : targeting;
  }

  #definition(
    { name: project }: Place,
    { flag, definition, targeting, at }: PlannedDefinition & { readonly targeting: Targeting },
  ): void {
    const { environment, flagSets, seeds, algorithm, changeNumber } = definition;
    const item = { kind: 'definition', project, environment, name: flag.name } as const;
    const ours = at?.definitions.get(flag.name);
    const theirs = this.#hash(definitionContent(targeting, flagSets));
    const base = this.#importedAs(at?.id, 'definition', flag.name)?.hash;
    const wanted = { targeting, flagSets, seeds, algorithm, changeNumber };
    if (ours && seeds && (ours.seed !== seeds.seed || ours.trafficAllocationSeed !== seeds.trafficAllocationSeed)) {
      const reason = 'It exists here with other seeds: keys are in other buckets.';
      this.#add<'definition'>({ ...item, action: 'conflict', reason, hash: theirs });
      return;
    }
    const decision = decide({ ours: ours?.hash, theirs, base });
    const { share, now } = seeds || decision.action !== 'create' ? unmoved : rebucketedShare(targeting);
    if (share === 0) {
      this.#add<'definition'>({ ...item, ...decision, hash: theirs, ifMatch: ours?.etag, wanted });
      return;
    }
    const accepted = this.#choices.newSeeds?.[environment] === 'accept';
    this.#rebucketed.push({ project, environment, flag: flag.name, now, share, accepted });
    const reason = `Its seeds are unknown without an SDK key: new ones change the treatment of up to ${Math.round(100 * share)}% of keys.`;
    const action = accepted ? decision.action : 'left_out';
    this.#add<'definition'>({ ...item, action, reason, hash: theirs, wanted });
  }

  /** What is on a cycle, by environment and name. Definitions that are refused anyway count as empty. */
  *#cyclic({ source }: Place): Generator<void, Set<string>> {
    const edges = new Map<string, string[]>();
    const add = (environment: string, from: string, to: readonly { kind: string; name: string }[]) =>
      edges.set(
        `${environment} ${from}`,
        to.flatMap(({ kind, name }) => (kind === 'flag_set' ? [] : [`${environment} ${kind} ${name}`])),
      );
    for (const { name, definitions } of source.flags) {
      for (const { environment, body } of definitions) {
        refusalOf(() => add(environment, `flag ${name}`, referencesOf(parseTargeting({ ...body, flagSets: [] }))));
        yield;
      }
    }
    for (const { name, environments } of source.segments) {
      for (const { environment, definition } of environments) {
        if (!definition) continue;
        refusalOf(() => add(environment, `segment ${name}`, referencesOfRules(parseSegmentRules(definition))));
        yield;
      }
    }
    return onCycles(edges);
  }

  #restrictions({ source, name: project, found, isOwn, environments }: Place): void {
    if (source.viewers) {
      const viewers = [...source.viewers, { kind: 'group' as const, name: administrators.name }];
      this.#restriction({ project, place: found?.id, list: 'view', people: viewers, ours: found?.viewers, isOwn });
    }
    if (source.editors) {
      const people = source.editors;
      this.#restriction({ project, place: found?.id, list: 'edit', people, ours: found?.editors, isOwn });
    }
    for (const { name: environment, editors, approvers } of environments.values()) {
      const at = found?.environments.get(environment);
      if (editors) {
        const isOwnHere = !at || this.#importedAs(at.id, 'environment', environment) !== undefined;
        const place = { project, environment, place: at?.id, isOwn: isOwnHere };
        this.#restriction({ ...place, list: 'editors', people: editors, ours: at?.editors });
      }
      if (approvers && approvers.length > 0) {
        const reason = 'Changes cannot be made subject to approval here.';
        this.#add<'restriction'>({
          kind: 'restriction',
          project,
          environment,
          name: 'approvers',
          action: 'left_out',
          reason,
        });
      }
    }
  }

  #restriction({ project, environment, place, list, people, ours, isOwn }: PlannedRestriction): void {
    const users = new Set([...this.#here.users.keys(), ...this.#source.users.map(({ email }) => emailKey(email))]);
    const groups = new Set([...this.#here.groups, ...this.#source.groups.map(({ name }) => name)]);
    const isKnown = ({ kind, name }: Person) =>
      kind === 'user' ? users.has(emailKey(name)) : kind === 'group' && groups.has(name);
    const known = people.filter(isKnown);
    const missing = people.filter((person) => !isKnown(person)).map(({ name }) => name);
    const reason = missing.length > 0 ? `Without ${missing.join(', ')}: not here.` : undefined;
    const theirs = this.#hash(namesOf(known));
    const name = list === 'view' ? 'viewers' : 'editors';
    const base = this.#importedAs(place, 'restriction', name)?.hash;
    const compared = decide({ ours: ours && this.#hash(namesOf(ours)), theirs, base });
    const decision: Decision =
      compared.action === 'create' && !isOwn
        ? { action: 'conflict', reason: 'It is open to everyone here, and was here before the import.' }
        : compared;
    const item = { kind: 'restriction', project, environment, name, hash: theirs } as const;
    this.#add<'restriction'>({
      ...item,
      ...decision,
      reason: decision.reason ?? reason,
      wanted: { list, people: known },
    });
  }
}

const namesOf = (people: readonly Person[]): string[] => [
  ...new Set(people.map(({ kind, name }) => `${kind} ${kind === 'user' ? emailKey(name) : name}`).sort()),
];

interface PlannedRestriction {
  readonly project: string;
  readonly environment?: string | undefined;
  readonly place: string | undefined;
  readonly list: 'view' | 'edit' | 'editors';
  readonly people: readonly Person[];
  readonly ours: readonly Person[] | undefined;
  readonly isOwn: boolean;
}

interface PlannedActivation {
  readonly segment: SourceSegment;
  readonly activation: SourceActivation;
  readonly at: HereEnvironment | undefined;
  readonly ours: HereActivation | undefined;
}

interface PlannedDefinition {
  readonly flag: SourceFlag;
  readonly definition: SourceDefinition;
  readonly at: HereEnvironment | undefined;
}

interface ComparedKeys {
  readonly base: { readonly hash: string; readonly revision: number | undefined } | undefined;
  readonly hash: string;
  readonly ours: HereActivation | undefined;
  readonly keyCount: number;
}

/** Keys are compared by the number of their last change: there may be millions. */
function decideKeys({ base, hash, ours, keyCount }: ComparedKeys): Decision {
  if (!base) {
    if (!ours || ours.keyCount === 0) return { action: keyCount === 0 ? 'same' : 'create' };
    return { action: 'conflict', reason: `It has ${ours.keyCount} keys here already.` };
  }
  if (base.hash === hash) return { action: 'same' };
  if (base.hash === partlyImported || base.revision === ours?.changeNumber) return { action: 'update' };
  return { action: 'conflict', reason: 'Its keys were changed both here and at the source since the last import.' };
}

interface Moved {
  readonly share: number;
  /** The buckets of which most keys move. */
  readonly now: string;
}
const unmoved: Moved = { share: 0, now: '' };

/**
 * How many keys get another treatment with new seeds: the largest share, 0 to 1, among the keys of each rule and of the
 * default rule. New seeds put a key into a bucket that has nothing to do with the old one, so a key keeps its treatment
 * with the probability Σp². Individual targets stay.
 */
function rebucketedShare({ killed, rules, defaultRule, ...rest }: Targeting): Moved {
  if (killed) return unmoved;
  const moved = [defaultRule, ...rules.map(({ buckets }) => buckets)].map((buckets) => {
    const first = buckets.find(({ size }) => size > 0);
    return { share: changedShare(buckets, rest), now: first ? `${first.treatment} ${first.size}%` : '' };
  });
  return moved.reduce((most, one) => (one.share > most.share ? one : most), unmoved);
}

type Outside = Pick<Targeting, 'trafficAllocation' | 'defaultTreatment'>;

function changedShare(buckets: readonly Bucket[], { trafficAllocation, defaultTreatment }: Outside): number {
  const shares = new Map([[defaultTreatment, 100 * (100 - trafficAllocation)]]);
  for (const { treatment, size } of buckets) {
    shares.set(treatment, (shares.get(treatment) ?? 0) + trafficAllocation * size);
  }
  // In ten-thousandths, so that a share of all keys is exactly 1.
  return 1 - [...shares.values()].reduce((sum, share) => sum + share * share, 0) / 100_000_000;
}
