/** Whatever right ends while the body of a request is on its way: the change is refused at its commit. */
import assert from 'node:assert/strict';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import { prefix } from '#contract/parts.ts';
import { startApi } from '../support/app.ts';
import { aDefinition, aFlag, aProject, type ProjectFixture, uniqueName } from '../support/build.ts';
import { administratorsId, aPerson, host, origin, type Person, setUpAdministrator } from '../support/session.ts';
import { slowRequest } from '../support/slow-request.ts';

const api = await startApi();
await setUpAdministrator(api);
const administrators = { id: await administratorsId(api), type: 'group' };
await api.app.listen({ host: '127.0.0.1', port: 0 });
const { port } = api.app.server.address() as AddressInfo;
after(() => api.app.server.closeAllConnections());

interface Scene {
  readonly project: ProjectFixture;
  readonly group: { readonly id: string; readonly type: 'group' };
  /** A member of the group. */
  readonly person: Person;
  readonly user: { readonly id: string; readonly type: 'user' };
  readonly key: { readonly id: string; readonly type: 'api_key'; readonly text: string };
  set(update: object): Promise<unknown>;
  inProduction(lists: object): Promise<unknown>;
}

async function aScene(): Promise<Scene> {
  const project = await aProject(api);
  const { body: group } = await api.post('/groups', { name: uniqueName('group') });
  const person = await aPerson(api, { groups: [group.id] });
  const roles = ['API_FEATURE_FLAG_EDITOR'];
  const { body: key } = await api.post('/apiKeys', { name: uniqueName('key'), apiKeyType: 'admin', roles });
  const set = async (update: object) => {
    const answer = await api.put(`/workspaces/${project.id}/access`, update);
    assert.equal(answer.status, 200, answer.text);
  };
  return {
    project,
    person,
    set,
    group: { id: group.id, type: 'group' },
    user: { id: person.id, type: 'user' },
    key: { id: key.id, type: 'api_key', text: key.key },
    inProduction: (lists) => set({ environments: [{ id: project.production.id, ...lists }] }),
  };
}

interface Ending {
  /** What gives the right. */
  readonly before: (scene: Scene) => Promise<unknown>;
  readonly end: (scene: Scene) => Promise<unknown>;
  readonly does: 'describes' | 'defines' | 'kills';
  readonly by?: 'key';
  readonly status?: 404;
}

const only = (...grantees: unknown[]) => ({ restricted: true, grantees });
const open = async () => undefined;

const endings: Readonly<Record<string, Ending>> = {
  'is taken from the viewers': {
    before: ({ set, user }) => set({ view: only(administrators, user) }),
    end: ({ set }) => set({ view: only(administrators) }),
    does: 'describes',
    status: 404,
  },
  'is taken from the editors of the project': {
    before: ({ set, user }) => set({ edit: only(user) }),
    end: ({ set }) => set({ edit: only() }),
    does: 'describes',
  },
  'is taken from the editors of the environment': {
    before: ({ inProduction, user }) => inProduction({ editors: only(user) }),
    end: ({ inProduction }) => inProduction({ editors: only() }),
    does: 'defines',
  },
  'is taken from those who may kill': {
    before: async ({ set, inProduction, user }) => {
      await set({ edit: only() });
      await inProduction({ killers: [user] });
    },
    end: ({ inProduction }) => inProduction({ killers: [] }),
    does: 'kills',
  },
  'leaves the group that is listed': {
    before: ({ set, group }) => set({ edit: only(group) }),
    end: ({ person }) => api.patch(`/users/${person.id}`, [{ op: 'replace', path: '/groups', value: [] }]),
    does: 'defines',
  },
  'loses the group that may kill': {
    before: ({ inProduction, group }) => inProduction({ editors: only(), killers: [group] }),
    end: ({ group }) => api.delete(`/groups/${group.id}`),
    does: 'kills',
  },
  'owns the flag, and owners may no longer edit': {
    before: ({ set }) => set({ edit: only(), ownersEdit: true }),
    end: ({ set }) => set({ ownersEdit: false }),
    does: 'defines',
  },
  'edits a project that is restricted': { before: open, end: ({ set }) => set({ edit: only() }), does: 'describes' },
  'edits in an environment that is restricted': {
    before: open,
    end: ({ project }) =>
      api.patch(`/environments/ws/${project.id}/${project.production.id}`, [
        { op: 'replace', path: '/changePermissions/areEditorsRestricted', value: true },
      ]),
    does: 'kills',
  },
  'is a key that is taken from the editors': {
    before: ({ set, key: { id, type } }) => set({ edit: only({ id, type }) }),
    end: ({ set }) => set({ edit: only() }),
    does: 'describes',
    by: 'key',
  },
  'is a key that is taken from the viewers': {
    before: ({ set, key: { id, type } }) => set({ view: only(administrators, { id, type }) }),
    end: ({ set }) => set({ view: only(administrators) }),
    does: 'describes',
    by: 'key',
    status: 404,
  },
};

for (const [who, { before, end, does, by, status = 403 }] of Object.entries(endings)) {
  test(`an actor who ${who} while the body is being sent changes nothing`, async () => {
    const scene = await aScene();
    const { project, person, key } = scene;
    // Made by the person, who so owns it.
    const flag = await aFlag({ post: (path, body) => api.post(path, body, person.signedIn) }, project);
    const flagPath = `/splits/ws/${project.id}/${flag.name}`;
    const path = `${flagPath}/environments/${project.production.id}`;
    assert.equal((await api.post(path, aDefinition())).status, 200);
    await before(scene);
    const [method, asked, body] = {
      describes: ['PUT', `${flagPath}/updateDescription`, 'late'] as const,
      defines: ['PATCH', path, [{ op: 'replace', path: '/defaultTreatment', value: 'on' }]] as const,
      kills: ['PUT', `${path}/kill`, { comment: 'late' }] as const,
    }[does];
    const headers: Record<string, string> =
      by === 'key' ? { authorization: `Bearer ${key.text}` } : { host, origin, cookie: person.cookie };
    const send = (meanwhile: () => Promise<unknown>) =>
      slowRequest(`http://127.0.0.1:${port}${prefix}${asked}`, { method, headers, body }, meanwhile);
    const first = await send(open);
    assert.equal(first.status, 200, first.text);
    const actions = await api.recorded(async () => {
      const answer = await send(() => end(scene));
      assert.equal(answer.status, status, answer.text);
    });
    assert.ok(!actions.some((action) => /^(flag|definition)\./.test(action)), actions.join());
  });
}
