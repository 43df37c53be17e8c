/** The real server that the model is compared with, and its reset between sequences. */
import assert from 'node:assert/strict';
import sql, { bulk, raw } from 'sql-template-tag';
import { tables } from '#operations/copy.ts';
import { type Answer, type Api, startApi } from '../app.ts';
import { anAddress } from '../session.ts';
import type { Ids } from './compare.ts';
import { emailOf } from './people.ts';
import type { Aim, Aimed, names, Sent, Step } from './step.ts';
import { firstWorld, statusNames, type World } from './world.ts';

export interface ModelServer {
  readonly api: Api;
  /** Resets everything to the first start; returns what the model knows of it. */
  reset(): Promise<{ world: World; ids: Ids }>;
  /** Sends a step, with the ids that its names have now. */
  send(step: Step, known: { world: World; ids: Ids; aim: Aim }): Promise<Answer>;
}

export async function startModelServer(): Promise<ModelServer> {
  const api = await startApi();
  const startedAt = await startOf(api);
  const furnishedAt = startedAt + 1_000;
  api.clock.now = furnishedAt;
  const ids = await firstIds(api);
  await furnish(api, ids);
  const snapshot = await rowsOf(api);
  return {
    api,
    reset: async () => {
      // The clock never goes back: what the server keeps in memory relies on numbers that grow.
      const now = (api.clock.now ?? furnishedAt) + 1_000;
      api.clock.now = now;
      await restore(api, snapshot);
      return { world: { ...firstWorld(startedAt, furnishedAt), now }, ids: new Map(ids) };
    },
    send: async (step, { world, ids: known, aim }) => {
      const idOf = (mark: string) => known.get(mark) ?? assert.fail(`the id of ${mark} was never said`);
      const sent = step.send({ aim, world, idOf });
      const { method, body, headers } = sent;
      const text = body === undefined ? {} : { text: JSON.stringify(body) };
      return api.call(method, await pathOf(api, sent), {
        ...text,
        headers: { ...headers },
        from: anAddress(),
        ...(sent.as ? { as: keyText(sent.as, known) } : {}),
      });
    },
  };
}

/** The text of a key is in the answer that made it. */
const keyText = ({ mark }: Aimed, ids: Ids): string => ids.get(`${mark}.text`) ?? `burgee_a_${'0'.repeat(36)}`;

/** What the names of a step mean in a world: ids of what is there, else the names as they are. */
export function aimAt({ params }: Step, world: World, ids: Ids): Aim {
  const project = world.projects.find(({ name }) => name === params.p);
  const flag = project?.flags.find(({ name }) => name === params.f);
  const environment = project?.environments.find(({ name }) => name === params.e);
  const pools: Record<keyof typeof names, { mark: string } | undefined> = {
    p: project,
    f: flag,
    e: environment,
    t: project?.trafficTypes.find(({ name }) => name === params.t),
    g: world.groups.find(({ name }) => name === params.g),
    u: world.users.find(({ email }) => email === emailOf(params.u ?? '')),
    k: world.keys.findLast(({ name }) => name === params.k),
  };
  const aimed = (pool: keyof typeof names): Aimed => {
    const mark = pools[pool]?.mark;
    return { mark, word: (mark === undefined ? undefined : ids.get(mark)) ?? params[pool] ?? 'none' };
  };
  const definition = flag?.definitions.find((one) => one.environment === environment?.mark);
  return {
    p: aimed('p'),
    e: aimed('e'),
    t: aimed('t'),
    f: aimed('f'),
    g: aimed('g'),
    u: aimed('u'),
    k: aimed('k'),
    versions: { flag: flag?.revision, definition: definition?.revision },
  };
}

/** A token is in the mail that waits for somebody. */
async function pathOf(api: Api, { path }: Sent): Promise<string> {
  const [whole, email] = /\{token of (.+)\}/.exec(path) ?? [];
  if (whole === undefined) return path;
  const { body } = await api.get('/internal/account/outbox');
  const mail = body.find((one: { email: string; path: string }) => one.email === email);
  return path.replace(whole, mail?.path.split('/').at(-1) ?? 'none');
}

async function firstIds(api: Api): Promise<Ids> {
  const ids: Ids = new Map();
  const project = (await api.get('/workspaces')).body.objects[0];
  ids.set('@project', project.id);
  const [prod, staging] = (await api.get(`/environments/ws/${project.id}`)).body;
  ids.set('@prod', prod.id).set('@staging', staging.id);
  await learnProject(api, '@project', ids);
  ids.set('@administrators', (await api.get('/groups')).body.objects[0].id);
  ids.set('@key', (await api.get('/apiKeys')).body.objects[0].id);
  return ids;
}

const startOf = async ({ store }: Api): Promise<number> =>
  (await store.one<{ at: number }>(sql`select created_at as at from account`))?.at ?? assert.fail('no account');

/** What `firstWorld` has beside the first start: most requests have something to do from the beginning. */
async function furnish(api: Api, ids: Ids): Promise<void> {
  const made = async (mark: string, path: string, body: object) => {
    const answer = await api.post(path, body);
    assert.equal(answer.status, 200, answer.text);
    ids.set(mark, answer.body.id);
  };
  await made('@f1', '/splits/ws/Default/trafficTypes/user', { name: 'f1' });
  await made('@f1', '/splits/ws/Default/f1/environments/Staging-Default', {
    treatments: [{ name: 'on' }, { name: 'off' }],
    defaultTreatment: 'off',
    baselineTreatment: 'on',
    defaultRule: [
      { treatment: 'on', size: 30 },
      { treatment: 'off', size: 70 },
    ],
  });
  const ask = async (method: 'POST' | 'PUT', path: string, body?: object) => {
    const answer = await api.call(method, path, body ? { text: JSON.stringify(body) } : {});
    assert.equal(answer.status, 200, answer.text);
    return answer.body;
  };
  const staging = ids.get('@staging');
  await ask('POST', '/segments/ws/Default/trafficTypes/user', { name: 's1' });
  await ask('POST', `/segments/${staging}/s1`);
  ids.set('@s1', (await ask('PUT', `/segments/${staging}/s1/uploadKeys`, { keys: ['ana'] })).id);
  await made('@r1', '/rule-based-segments/ws/Default/trafficTypes/user', { name: 'r1' });
  await ask('POST', `/rule-based-segments/${staging}/r1`);
  await made('@p2', '/workspaces', { name: 'p2' });
  await learnProject(api, '@p2', ids);
  assert.equal((await api.delete(`/trafficTypes/${ids.get('@p2.user')}`)).status, 200);
  await made('@g1', '/groups', { name: 'g1' });
  await made('@u1', '/users', { email: 'u1@example.com' });
}

/** The ids of what is made with a project. */
export async function learnProject(api: Api, mark: string, ids: Ids): Promise<void> {
  const list = async (path: string): Promise<{ id: string; name: string }[]> => (await api.get(path)).body;
  const project = ids.get(mark);
  for (const { id, name } of await list(`/trafficTypes/ws/${project}`)) ids.set(`${mark}.${name}`, id);
  for (const { id, name } of await list(`/rolloutStatuses?wsId=${project}`)) {
    ids.set(`${mark}.status${statusNames.indexOf(name)}`, id);
  }
}

type Rows = ReadonlyMap<string, readonly Record<string, unknown>[]>;

async function rowsOf({ store }: Api): Promise<Rows> {
  const found = new Map<string, Record<string, unknown>[]>();
  for (const { name } of tables) found.set(name, await store.all(sql`select * from ${raw(name)}`));
  return found;
}

async function restore({ store }: Api, snapshot: Rows): Promise<void> {
  await store.write(async (tx) => {
    for (const { name } of tables.toReversed()) await tx.run(sql`delete from ${raw(name)}`);
    for (const [name, rows] of snapshot) {
      // The audit log begins empty, so that it can be compared whole.
      if (rows.length === 0 || name === 'changes') continue;
      const columns = Object.keys(rows[0] ?? {});
      await tx.run(sql`
        insert into ${raw(name)} (${raw(columns.join(', '))})
        values ${bulk(rows.map((row) => columns.map((column) => row[column] as string)))}`);
    }
  });
}
