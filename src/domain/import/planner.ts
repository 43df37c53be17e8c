/**
 * Compares what a source has with what is here, and says what an import would do. Planning again after an import, or
 * after a part of it, gives the rest: there is no other memory than `imported_objects`.
 *
 * What is compared of an object is its content, as a hash: at the source now, here now, and at the source when it was
 * last imported. The side that changed since then wins; if both did, it is a conflict, and what is here stays.
 */
import { type AttributeSettings, parseAttribute } from '../attributes.ts';
import { defaultRolloutStatuses } from '../default-rollout-statuses.ts';
import { administrators } from '../groups.ts';
import { emailKey, isEmail } from '../users.ts';
import { attributeName, type Choices, type Here, type HereProject, type Plan } from './plan.ts';
import { planDefinitions, planFlag } from './plan-flags.ts';
import { complaintAbout, type Decision, decide, type Place, PlanItems, refusalOf } from './plan-items.ts';
import { planActivations, planSegment } from './plan-segments.ts';
import type { Person, SourceAccount, SourceProject } from './source.ts';

/** Long accounts take long: it yields after every few objects, so that others can work in between. */
export function* planImport(source: SourceAccount, here: Here, choices: Choices = {}): Generator<void, Plan> {
  const plan = new PlanItems(source, here, choices);
  planPeople(plan);
  yield;
  for (const project of source.projects) {
    if (choices.onlyProjects && !choices.onlyProjects.includes(project.name)) continue;
    yield* planProject(plan, project);
  }
  return plan.result();
}

function planPeople(plan: PlanItems): void {
  const added = new Set<string>();
  const isGroup = (name: string) => plan.here.groups.has(name) || added.has(name);
  for (const { name, description } of plan.source.groups) {
    const refusal = complaintAbout('group', { name, description });
    if (plan.addNamed<'group'>({ kind: 'group', name, wanted: { description } }, { isHere: isGroup(name), refusal }))
      added.add(name);
  }
  for (const { email, name, isActive, groups: own } of plan.source.users) {
    const found = plan.here.users.get(emailKey(email));
    const known = own.filter(isGroup);
    const wanted = { name, groups: known, invite: plan.choices.invite === true };
    if (found) {
      const imported = plan.importedAs('', 'user', emailKey(email));
      const isAwaited = wanted.invite && found.status === 'PENDING' && imported !== undefined && !imported.revision;
      plan.add<'user'>({ kind: 'user', name: email, action: isAwaited ? 'update' : 'same', wanted });
      continue;
    }
    const refusal = !isActive
      ? 'The user is deactivated at the source.'
      : isEmail(email)
        ? undefined
        : 'The address is not one that a mail can be sent to.';
    const missing = own.length > known.length ? 'Some of the groups do not exist here.' : undefined;
    plan.addNamed<'user'>({ kind: 'user', name: email, reason: missing, wanted }, { isHere: false, refusal });
  }
}

function* planProject(plan: PlanItems, source: SourceProject): Generator<void> {
  const name = plan.choices.projects?.[source.name] ?? source.name;
  const found = plan.here.projects.get(name);
  const { requiresTitleAndComments } = source;
  const refusal = complaintAbout('project', { name });
  const isIn = plan.addNamed<'project'>(
    { kind: 'project', project: name, name, wanted: { requiresTitleAndComments } },
    { isHere: found !== undefined, refusal },
  );
  if (!isIn && !found) return;
  const place: Place = {
    source,
    name,
    found,
    isOwn: !found || plan.importedAs(found.id, 'project', name) !== undefined,
    rolloutStatuses: found?.rolloutStatuses ?? new Set(defaultRolloutStatuses.map((status) => status.name)),
    // Every new project has this one.
    trafficTypes: new Set(found?.trafficTypes ?? ['user']),
    flags: new Set(found?.flags.keys()),
    segments: new Map([...(found?.segments ?? [])].map(([segment, { kind }]) => [segment, kind])),
    environments: planEnvironments(plan, source, name, found),
  };
  planTrafficTypes(plan, place);
  planSmallLists(plan, place);
  yield;
  for (const segment of source.segments) {
    planSegment(plan, place, segment);
    yield;
  }
  for (const flag of source.flags) {
    planFlag(plan, place, flag);
    yield;
  }
  for (const segment of source.segments) yield* planActivations(plan, place, segment);
  yield* planDefinitions(plan, place);
  planRestrictions(plan, place);
  yield* planDeletions(plan, place);
}

/** A list that is empty was perhaps not read. */
function* planDeletions(plan: PlanItems, { source, name: project, found }: Place): Generator<void> {
  if (!found) return;
  const missing = (kind: 'flag' | 'segment', here: Iterable<string>) => {
    const there = new Set((kind === 'flag' ? source.flags : source.segments).map(({ name }) => name));
    for (const name of there.size > 0 ? here : []) {
      if (!there.has(name) && plan.importedAs(found.id, kind, name)) plan.gone.push({ kind, project, name });
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
      if (defined.has(`${environment}\n${name}`) || !plan.importedAs(id, 'definition', name)) continue;
      plan.gone.push({ kind: 'definition', project, environment, name });
    }
    yield;
  }
}

/** Those that will exist. */
function planEnvironments(
  plan: PlanItems,
  { environments }: SourceProject,
  project: string,
  found: HereProject | undefined,
) {
  return new Map(
    environments
      .filter(({ name, production }) =>
        plan.addNamed<'environment'>(
          { kind: 'environment', project, environment: name, name, wanted: { production } },
          { isHere: found?.environments.has(name) ?? false, refusal: complaintAbout('environment', { name }) },
        ),
      )
      .map((environment) => [environment.name, environment]),
  );
}

function planTrafficTypes(plan: PlanItems, { source, name: project, found, trafficTypes }: Place): void {
  for (const { name, displayAttributeId, attributes } of source.trafficTypes) {
    const isIn = plan.addNamed<'traffic_type'>(
      { kind: 'traffic_type', project, name, wanted: { displayAttributeId } },
      { isHere: trafficTypes.has(name), refusal: complaintAbout('traffic_type', { name }) },
    );
    if (isIn) trafficTypes.add(name);
    for (const body of attributes) planAttribute(plan, { project, found }, { trafficType: name, isIn, body });
  }
}

function planAttribute(
  plan: PlanItems,
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
    plan.add<'attribute'>({ ...item, action: 'left_out', reason });
    return;
  }
  const ours = found?.attributes.get(item.name);
  const theirs = plan.hash(settings);
  const base = plan.importedAs(found?.id, 'attribute', item.name)?.hash;
  const decision = decide({ ours: ours && plan.hash(ours), theirs, base });
  plan.add<'attribute'>({ ...item, ...decision, hash: theirs, wanted: { trafficType, settings } });
}

function planSmallLists(plan: PlanItems, { source, name: project, found, rolloutStatuses }: Place): void {
  for (const name of source.rolloutStatuses) {
    const isHere = rolloutStatuses.has(name);
    const refusal =
      'The project has no such status. Its flags get the first one, unless you add the status before the import.';
    plan.addNamed<'rollout_status'>({ kind: 'rollout_status', project, name }, { isHere, refusal });
  }
  for (const { name, description } of source.flagSets) {
    const refusal = complaintAbout('flag_set', { name, description, workspace: { id: project } });
    plan.addNamed<'flag_set'>(
      { kind: 'flag_set', project, name, wanted: { description } },
      { isHere: found?.flagSets.has(name) ?? false, refusal },
    );
  }
}

function planRestrictions(plan: PlanItems, { source, name: project, found, isOwn, environments }: Place): void {
  if (source.viewers) {
    const viewers = [...source.viewers, { kind: 'group' as const, name: administrators.name }];
    planRestriction(plan, { project, place: found?.id, list: 'view', people: viewers, ours: found?.viewers, isOwn });
  }
  if (source.editors) {
    const people = source.editors;
    planRestriction(plan, { project, place: found?.id, list: 'edit', people, ours: found?.editors, isOwn });
  }
  for (const { name: environment, editors, approvers } of environments.values()) {
    const at = found?.environments.get(environment);
    if (editors) {
      const isOwnHere = !at || plan.importedAs(at.id, 'environment', environment) !== undefined;
      const place = { project, environment, place: at?.id, isOwn: isOwnHere };
      planRestriction(plan, { ...place, list: 'editors', people: editors, ours: at?.editors });
    }
    if (approvers && approvers.length > 0) {
      const reason = 'Approvals are not imported: set them in the environment’s changePermissions.';
      plan.add<'restriction'>({
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

function planRestriction(
  plan: PlanItems,
  { project, environment, place, list, people, ours, isOwn }: PlannedRestriction,
): void {
  const users = new Set(plan.source.users.map(({ email }) => emailKey(email)));
  const groups = new Set(plan.source.groups.map(({ name }) => name));
  const isUser = (key: string) => plan.here.users.has(key) || users.has(key);
  const isGroup = (name: string) => plan.here.groups.has(name) || groups.has(name);
  const isKnown = ({ kind, name }: Person) =>
    kind === 'user' ? isUser(emailKey(name)) : kind === 'group' && isGroup(name);
  const known = people.filter(isKnown);
  const missing = people.filter((person) => !isKnown(person)).map(({ name }) => name);
  const reason = missing.length > 0 ? `Without ${missing.join(', ')}: not here.` : undefined;
  const theirs = plan.hash(namesOf(known));
  const name = list === 'view' ? 'viewers' : 'editors';
  const base = plan.importedAs(place, 'restriction', name)?.hash;
  const compared = decide({ ours: ours && plan.hash(namesOf(ours)), theirs, base });
  const decision: Decision =
    compared.action === 'create' && !isOwn
      ? { action: 'conflict', reason: 'It is open to everyone here, and was here before the import.' }
      : compared;
  const item = { kind: 'restriction', project, environment, name, hash: theirs } as const;
  plan.add<'restriction'>({
    ...item,
    ...decision,
    reason: decision.reason ?? reason,
    wanted: { list, people: known },
  });
}

interface PlannedRestriction {
  readonly project: string;
  readonly environment?: string | undefined;
  readonly place: string | undefined;
  readonly list: 'view' | 'edit' | 'editors';
  readonly people: readonly Person[];
  readonly ours: readonly Person[] | undefined;
  readonly isOwn: boolean;
}

const namesOf = (people: readonly Person[]): string[] => [
  ...new Set(people.map(({ kind, name }) => `${kind} ${kind === 'user' ? emailKey(name) : name}`).sort()),
];
