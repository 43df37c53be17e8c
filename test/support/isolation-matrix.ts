/**
 * Every endpoint × every principal × every mixture of own, foreign and absent things. What a principal does not reach
 * is answered exactly as what does not exist; what it may not do is refused whatever it names; nothing of all that
 * changes anything, and no answer shows what is not for the principal.
 */
import { v7 as newId } from 'uuid';
import type { Reader } from '#store/sql.ts';
import type { Answer, Calls } from './app.ts';
import { paramsOf } from './every-endpoint.ts';
import { fingerprintOf } from './fingerprint.ts';
import { countsMore, type Essence, essenceOf } from './isolation-answers.ts';
import { type Kind, type Shape, type Tried, triedEndpoints } from './isolation-requests.ts';
import type { Principal, Side, SideName, World } from './isolation-world.ts';
import { requestOf, type Target } from './requests.ts';

/** A server and its database. */
export interface Server extends Calls {
  readonly store: Reader;
}

export interface Slice {
  readonly endpoints?: (tried: Tried) => boolean;
  readonly principals?: (principal: Principal) => boolean;
  /** Only every third principal; those of the next endpoint are others. */
  readonly thirds?: boolean;
  /** One failure is all that a mutation has to show. */
  readonly untilFailure?: boolean;
}

export interface Outcome {
  cases: number;
  readonly failures: string[];
}

/** Sends all requests that need a permission, and returns what was wrong. */
export async function runMatrix(server: Server, world: World, slice: Slice = {}): Promise<Outcome> {
  const outcome: Outcome = { cases: 0, failures: [] };
  const all = world.principals.filter(slice.principals ?? (() => true));
  for (const [index, tried] of triedEndpoints(server)
    .filter(slice.endpoints ?? (() => true))
    .entries()) {
    const principals = slice.thirds ? all.filter((_, place) => place % 3 === index % 3) : all;
    for (const shape of tried.shapes) {
      const asking = new Asking(server, { world, tried, shape, outcome, from: `10.9.${index}.1` });
      await asking.refusals(principals);
      if (slice.untilFailure && outcome.failures.length > 0) return outcome;
      await asking.successes(principals);
      if (slice.untilFailure && outcome.failures.length > 0) return outcome;
    }
  }
  return outcome;
}

/** What is in a slot: an object of one of the sides, by id or name; the other environment of `home`; or something unknown. */
type Value = SideName | `${SideName} by name` | 'sibling' | 'absent';
type Mixture = Readonly<Record<string, Value>>;

const sideNames: readonly SideName[] = ['home', 'elsewhere'];
const other = { home: 'elsewhere', elsewhere: 'home' } as const;
const pathKinds: Readonly<Record<string, Kind>> = {
  project: 'project',
  environment: 'environment',
  flag: 'flag',
  trafficType: 'trafficType',
  trafficTypeId: 'trafficType',
  flagSet: 'flagSet',
  user: 'user',
  group: 'group',
  key: 'key',
  segment: 'segment',
  anySegment: 'segment',
  largeSegment: 'segment',
  ruleBasedSegment: 'segment',
  changeRequest: 'changeRequest',
  changeset: 'changeset',
  deletedFlag: 'flag',
  rolloutStatus: 'rolloutStatus',
};
const width = { environment: 0, project: 1, account: 2 } as const;

interface Question {
  readonly world: World;
  readonly tried: Tried;
  readonly shape: Shape;
  readonly outcome: Outcome;
  readonly from: string;
}

class Asking {
  readonly #server: Server;
  readonly #question: Question;
  /** Slot → kind: the params of the path, then what the shape names besides. */
  readonly #slots: readonly (readonly [slot: string, kind: Kind])[];

  constructor(server: Server, question: Question) {
    this.#server = server;
    this.#question = question;
    const params = paramsOf(question.tried.endpoint);
    this.#slots = [
      ...params.flatMap((param) => (pathKinds[param] ? [[`params/${param}`, pathKinds[param]] as const] : [])),
      ...Object.entries(question.shape.slots),
    ];
  }

  /** Everything that must be refused is, and changes nothing. */
  async refusals(principals: readonly Principal[]): Promise<void> {
    const { home, elsewhere } = this.#question.world.sides;
    const targets = { home: await this.#targetAt(home), elsewhere: await this.#targetAt(elsewhere) };
    const before = await fingerprintOf(this.#server.store);
    for (const principal of principals) {
      if (this.#question.tried.endpoint.method === 'GET') await this.#askByWhoMay(targets);
      if (this.#refusal(principal) === undefined) await this.#hidden(principal, targets);
      else await this.#forbidden(principal, targets);
    }
    const after = await fingerprintOf(this.#server.store);
    if (before !== after) this.#fail('refused requests', 'something was changed');
  }

  /** A response for one principal must not be sent to the next one. */
  async #askByWhoMay(targets: Targets): Promise<void> {
    const whoMay = this.#question.world.principals.find(
      ({ role, width: reach }) => role === 'API_ALL_GRANTED' && reach === 'account',
    );
    for (const name of sideNames) if (whoMay) await this.#ask(whoMay, targets, this.#all(name));
  }

  /** Permitted requests succeed, on each side that the principal reaches. */
  async successes(principals: readonly Principal[]): Promise<void> {
    const { world, shape } = this.#question;
    for (const principal of principals) {
      if (this.#refusal(principal) !== undefined) continue;
      for (const name of sideNames) {
        const mixture = this.#all(name);
        if (this.#unreached(principal, mixture).length > 0) continue;
        const target = await this.#targetAt(world.sides[name]);
        const { answer } = await this.#ask(principal, { home: target, elsewhere: target }, mixture);
        const expected = shape.lacking?.(principal) ? 403 : (shape.status ?? 200);
        if (answer.status !== expected) this.#fail(`${principal.name}, ${name}`, `${answer.status} ${answer.text}`);
      }
    }
  }

  /** The same refusal for own, foreign and absent objects. */
  async #forbidden(principal: Principal, targets: Targets): Promise<void> {
    const [status, message] = this.#refusal(principal) ?? [];
    for (const value of [...sideNames, 'absent'] as const) {
      const { answer } = await this.#ask(principal, targets, this.#all(value));
      if (answer.status !== status || (message !== undefined && answer.body?.message !== message)) {
        this.#fail(`${principal.name}, ${value}`, `not ${status} but ${answer.status} ${answer.text}`);
      }
    }
  }

  async #hidden(principal: Principal, targets: Targets): Promise<void> {
    const absent = new Map<string, Essence>();
    for (const mixture of this.#mixtures()) {
      const unreached = this.#unreached(principal, mixture);
      if (unreached.length === 0) continue;
      const twin: Mixture = { ...mixture, ...Object.fromEntries(unreached.map((slot) => [slot, 'absent'])) };
      const key = JSON.stringify(twin);
      const expected = absent.get(key) ?? (await this.#ask(principal, targets, twin)).essence;
      absent.set(key, expected);
      const { essence, answer } = await this.#ask(principal, targets, mixture);
      const where = `${principal.name}, ${JSON.stringify(mixture)}`;
      if (JSON.stringify(essence) !== JSON.stringify(expected)) {
        this.#fail(where, `${answer.status} ${answer.text}, but for what is absent ${JSON.stringify(expected)}`);
      }
      if (answer.status < 400 && !this.#isFilter(unreached)) this.#fail(where, `${answer.status} ${answer.text}`);
    }
  }

  /** A list filtered by something absent is empty, not refused. */
  #isFilter(unreached: readonly string[]): boolean {
    const { endpoint } = this.#question.tried;
    return endpoint.method === 'GET' && 'reply' in endpoint && unreached.every((slot) => slot.startsWith('query/'));
  }

  /** Status and message for a principal without the permission, whatever is named; undefined with it. */
  #refusal(principal: Principal): readonly [status: number, message?: string] | undefined {
    const { may, width: reach } = principal;
    const { needs, width: least } = this.#question.tried;
    if (may === undefined) return [401, 'Invalid Admin API Key'];
    const allowed =
      (may === '*' || may.split(' ').includes(needs)) && width[reach] >= width[least as keyof typeof width];
    if (!allowed) return [403, 'Role is insufficient'];
    return this.#question.shape.refusal?.(principal);
  }

  /** All of one side; one slot from the other side, by id and by name; one slot absent; the sibling environment. */
  #mixtures(): Mixture[] {
    const one = (base: SideName, slot: string, value: Value): Mixture => ({ ...this.#all(base), [slot]: value });
    return sideNames.flatMap((base) => [
      this.#all(base),
      ...this.#slots.flatMap(([slot, kind]) => [
        one(base, slot, other[base]),
        one(base, slot, 'absent'),
        ...(hasName(kind, slot) ? [one(base, slot, `${base} by name`), one(base, slot, `${other[base]} by name`)] : []),
        ...(kind === 'environment' && base === 'home' ? [one(base, slot, 'sibling')] : []),
      ]),
    ]);
  }

  #all(value: Value): Mixture {
    return Object.fromEntries(this.#slots.map(([slot]) => [slot, value]));
  }

  #unreached(principal: Principal, mixture: Mixture): string[] {
    // A path without a project has a traffic type that says which it is.
    const slotOf = (wanted: Kind) => this.#slots.find(([, kind]) => kind === wanted)?.[0];
    const projectSlot = slotOf('project') ?? slotOf('trafficType');
    const reachesProject = (side: SideName) => principal.reaches.includes(side);
    const parent = projectSlot === undefined ? undefined : sideOf(mixture[projectSlot] ?? 'absent');
    // Or an environment.
    const place = sideOf(mixture[projectSlot ?? slotOf('environment') ?? ''] ?? 'absent');
    const inProject = (side: SideName) => reachesProject(side) && (projectSlot === undefined || parent === side);
    return this.#slots.flatMap(([slot, kind]) => {
      const value = mixture[slot] ?? 'absent';
      const side = sideOf(value);
      if (side === undefined) return [slot];
      const reached = {
        project: () => reachesProject(side),
        environment: () => inProject(side) && (value !== 'sibling' || !principal.onlyStaging),
        flag: () => inProject(side),
        segment: () => reachesProject(side) && place === side,
        trafficType: () => inProject(side),
        flagSet: () => reachesProject(side),
        changeRequest: () => reachesProject(side),
        changeset: () => reachesProject(side),
        rolloutStatus: () => inProject(side),
        actor: () => reachesProject(side),
        user: () => principal.seesUsersOf.includes(side),
        group: () => true,
        key: () => reachesProject(side),
      };
      return reached[kind]() ? [] : [slot];
    });
  }

  async #ask(principal: Principal, targets: Targets, mixture: Mixture): Promise<{ answer: Answer; essence: Essence }> {
    const { world, tried, from, outcome } = this.#question;
    let target: Target = targets.home;
    if (Object.values(mixture).every((value) => value === 'elsewhere')) target = targets.elsewhere;
    const sent: string[] = [];
    for (const [slot, kind] of this.#slots) {
      const text = textOf(slot, { kind, value: mixture[slot] ?? 'absent', targets, world });
      sent.push(text);
      target = withText(target, slot, text);
    }
    const { path, text } = requestOf(tried.endpoint, world.sides.home, target);
    outcome.cases += 1;
    const answer = await this.#server.call(tried.endpoint.method, tried.base + path, {
      from,
      ...principal.request,
      ...(text === undefined ? {} : { text }),
    });
    const shown = principal.mustNotSee.find((mark) => answer.text.includes(mark) && !sent.includes(mark));
    if (shown !== undefined) this.#fail(principal.name, `shows ${shown}`);
    if (countsMore(answer.body)) this.#fail(principal.name, `counts ${answer.body.totalCount}`);
    return { answer, essence: essenceOf(answer, sent) };
  }

  async #targetAt(side: Side): Promise<Target> {
    const target = await this.#question.shape.build(side);
    return { ...target, params: { project: side.id, environment: side.environment.id, ...target.params } };
  }

  #fail(who: string, what: string): void {
    const { endpoint } = this.#question.tried;
    this.#question.outcome.failures.push(`${endpoint.method} ${endpoint.path} as ${who}: ${what.slice(0, 500)}`);
  }
}

type Targets = Readonly<Record<SideName, Target>>;

const sideOf = (value: Value): SideName | undefined =>
  value === 'absent' ? undefined : value === 'sibling' || value.startsWith('home') ? 'home' : 'elsewhere';

/** Filters of the audit log know ids only. */
const hasName = (kind: Kind, slot: string): boolean =>
  (kind === 'project' || kind === 'environment' || kind === 'flag') &&
  !/^query\/(workspace|environment|object)Id$/.test(slot);

function textOf(
  slot: string,
  { kind, value, targets, world }: { kind: Kind; value: Value; targets: Targets; world: World },
): string {
  const side = sideOf(value);
  if (side === undefined) return newId();
  if (value === 'sibling') return world.sides.home.production.id;
  if (value === 'home' || value === 'elsewhere') return readText(targets[side], slot);
  const { name, environment, staging, flag } = world.sides[side];
  if (kind === 'project') return name;
  return kind === 'flag' ? flag.name : environment.id === staging.id ? staging.name : environment.id;
}

const readText = (target: Target, slot: string): string =>
  slot.split('/').reduce<unknown>((value, name) => (value as Record<string, unknown>)[name], target) as string;

/** A copy with another text in the slot. */
function withText(target: Target, slot: string, text: string): Target {
  const copy = structuredClone(target);
  const names = slot.split('/');
  const last = names.pop() ?? '';
  const holder = names.reduce<unknown>((value, name) => (value as Record<string, unknown>)[name], copy);
  (holder as Record<string, unknown>)[last] = text;
  return copy;
}
