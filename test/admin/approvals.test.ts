import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { pino } from 'pino';
import sql from 'sql-template-tag';
import { expireChangeset } from '#commands/changeset-reviews.ts';
import { contextFor } from '#commands/context.ts';
import { system } from '#commands/setup.ts';
import { startExpiry } from '#jobs/changesets.ts';
import { composeMail } from '#jobs/mail.ts';
import { type ChangesetMail, deleteNewsMails, listOutbox } from '#store/outbox.ts';
import { type Answer, refused } from '../support/app.ts';
import {
  aDefinedFlag,
  aDefinition,
  aFlag,
  aProject,
  aRuleBasedSegment,
  aSegment,
  uniqueName,
} from '../support/build.ts';
import { chanceOf } from '../support/chance.ts';
import { account, aPerson, setUpAdministrator, startAccounts } from '../support/session.ts';
import { statementsOf } from '../support/statements.ts';

const api = await startAccounts();
const administrator = await setUpAdministrator(api);
const [ana, ben, cleo] = [await aPerson(api), await aPerson(api), await aPerson(api)];
type Who = { readonly signedIn: object };
type Named = { readonly auditLogType: string };

const set = (path: string, value: unknown) => ({ kind: 'patch', operations: [{ op: 'replace', path, value }] });
const allocate = (share: number) => set('/trafficAllocation', share);

/** A project whose production requires approvals, with a defined flag there. */
async function aGuardedProject(permissions = {}) {
  const project = await aProject(api);
  const { flag } = await aDefinedFlag(api, project);
  const path = `/splits/ws/${project.id}/${flag.name}/environments/${project.production.id}`;
  await ok(api.post(path, aDefinition()));
  const guard = (more = {}) => changePermissions(project, { areApprovalsRequired: true, ...more });
  await guard(permissions);
  return {
    ...project,
    flag: { ...flag, path },
    guard,
    edit: (edit: unknown) => ({ environment: project.production.id, flag: flag.name, edit }),
    read: async () => (await api.get(path)).body,
  };
}
type Guarded = Awaited<ReturnType<typeof aGuardedProject>>;

const changePermissions = (project: { id: string; production: { id: string } }, value: object) =>
  ok(
    api.patch(`/environments/ws/${project.id}/${project.production.id}`, [
      { op: 'replace', path: '/changePermissions', value },
    ]),
  );

async function ok(answering: Promise<Answer>): Promise<Answer['body']> {
  const answer = await answering;
  assert.equal(answer.status, 200, answer.text);
  return answer.body;
}

const as = (who: Who) => who.signedIn;
const draft = (project: { id: string }, operations: unknown, who: Who = ana) =>
  ok(api.post('/changesets', { workspace: { id: project.id }, title: 'Ship it', operations }, as(who)));
async function aRequest(project: { id: string }, operations: unknown, body?: object): Promise<string> {
  const { id } = await draft(project, operations);
  assert.equal((await ok(api.post(`/changesets/${id}/request`, body, as(ana)))).status, 'REQUESTED');
  return id;
}
const say = (verb: string, id: string, who: Who, body?: object) => api.post(`/changesets/${id}/${verb}`, body, as(who));
const needsApproval = async (project: Guarded, who: Who) => {
  const environments = await ok(api.get(`/environments/ws/${project.id}?sort=position`, as(who)));
  return environments.find(({ id }: { id: string }) => id === project.production.id).needsApproval;
};
const badge = async ({ id }: { id: string }, who: Who): Promise<number | undefined> => {
  const { body } = await api.get(account('/session'), as(who));
  return body.waiting.find((one: { id: string }) => one.id === id)?.count;
};
const stateOf = async (id: string) => (await ok(api.get(`/changesets/${id}`))).status;
const waiting = async (project: { id: string }, who: Who, filter = 'waiting') =>
  (await ok(api.get(`/changesets?workspaceId=${project.id}&filter=${filter}`, as(who)))).data.map(
    ({ id }: { id: string }) => id,
  );

test('where approvals are required, a changeset is applied after someone else has approved it', async () => {
  const project = await aGuardedProject();
  const id = await aRequest(project, [project.edit(allocate(40))], { comment: 'Before Friday' });
  refused(await say('apply', id, ana), 403, /^Approvals are required\. orgId=.+ envId=/);
  refused(await say('approve', id, ana), 403, 'You cannot approve or reject a changeset that you wrote or edited');
  assert.deepEqual([await waiting(project, ben), await waiting(project, ana)], [[id], []]);
  assert.deepEqual([await badge(project, ben), await badge(project, ana)], [1, undefined]);
  assert.deepEqual([await waiting(project, ana, 'mine'), await waiting(project, ben, 'mine')], [[id], []]);
  const plan = () => ok(api.get(`/changesets/${id}/plan`, as(ben)));
  const { id: environmentId, name } = project.production;
  const environment = { id: environmentId, name };
  assert.deepEqual((await plan()).approvals, [{ environment, approvedBy: [], isGiven: false, mayApprove: true }]);
  const actions = await api.recorded(async () => {
    const approved = await ok(say('approve', id, ben, { comment: 'Fine' }));
    assert.equal(approved.status, 'APPROVED');
    // Again: nothing happens.
    assert.equal((await ok(say('approve', id, ben))).reviews.length, approved.reviews.length);
  });
  assert.deepEqual(actions, ['changeset.approved']);
  const { approvals, canApply } = await plan();
  assert.deepEqual([approvals[0].approvedBy[0].name, approvals[0].isGiven, canApply], [ben.email, true, true]);
  assert.deepEqual(await waiting(project, ben), []);
  const { status, reviews, expiresAt } = await ok(say('apply', id, ana));
  assert.deepEqual([status, expiresAt], ['PUBLISHED', undefined]);
  assert.deepEqual(
    reviews.map(({ kind, by, comment }: { kind: string; by: { name: string }; comment: string }) => [
      kind,
      by.name,
      comment,
    ]),
    [
      ['request', ana.email, 'Before Friday'],
      ['approve', ben.email, 'Fine'],
      ['apply', ana.email, ''],
    ],
  );
  assert.equal((await project.read()).trafficAllocation, 40);
  refused(await say('approve', id, ben), 409, /is PUBLISHED/);
});

test('a schedule that lacks an approval waits for those who can give it', async () => {
  const project = await aGuardedProject();
  const { id } = await draft(project, [project.edit(allocate(40))]);
  const steps = [{ hold: true, operations: [project.edit(allocate(50))] }];
  assert.equal((await ok(say('schedule', id, ana, { steps }))).status, 'SCHEDULE_REQUESTED');
  assert.deepEqual([await waiting(project, ben), await waiting(project, ana)], [[id], []]);
  assert.deepEqual([await badge(project, ben), await badge(project, ana)], [1, undefined]);
  await ok(say('approve', id, ben));
  assert.deepEqual([await waiting(project, ben), await badge(project, ben)], [[], undefined]);
});

test('a proposal by someone who cannot apply it waits for people who can, and they are notified', async () => {
  const [dan, eve, fay] = [await aPerson(api), await aPerson(api), await aPerson(api)];
  const project = await aGuardedProject({
    areApprovalsRequired: false,
    areApproversRestricted: false,
    areEditorsRestricted: true,
    editors: [ben, dan].map(({ id }) => ({ id, type: 'user' })),
  });
  const propose = async (who: Who) => {
    const { id } = await draft(project, [project.edit(allocate(40))], who);
    assert.equal((await ok(say('request', id, who, { comment: 'Please' }))).status, 'APPROVED');
    return id;
  };
  const id = await propose(ana);
  assert.deepEqual(await Promise.all([ben, dan, administrator, eve, ana].map((who) => waiting(project, who))), [
    [id],
    [id],
    [id],
    [],
    [],
  ]);
  assert.deepEqual([await badge(project, ben), await badge(project, eve)], [1, undefined]);
  const mail = (await listOutbox(api.store))
    .map(({ payload }) => payload as ChangesetMail)
    .find(({ changesetId }) => changesetId === id);
  assert.ok(mail);
  const { subject, text } = composeMail(mail, 'https://flags.example.com');
  assert.equal(subject, 'Apply: Ship it');
  assert.ok(text.includes(`${ana.email} asks you to apply`), text);
  const told = await mailsAbout(id);
  for (const { email } of [ben, dan]) assert.ok(told.includes(`${email} ready `), told.join('\n'));
  assert.ok(![ana, eve, fay].some(({ email }) => told.some((line) => line.startsWith(email))), told.join('\n'));
  await ok(say('apply', id, dan));
  assert.deepEqual([await waiting(project, ben), await badge(project, ben)], [[], undefined]);
  // Whoever can apply it does not ask others to.
  const own = await propose(ben);
  assert.deepEqual([await waiting(project, dan), await mailsAbout(own)], [[], []]);
  // Owners of the flag can, where the project lets them.
  const name = uniqueName('flag');
  await ok(api.post(`/splits/ws/${project.id}/trafficTypes/user`, { name }, as(fay)));
  await ok(api.put(`/workspaces/${project.id}/access`, { ownersEdit: true }));
  const create = { kind: 'create', body: aDefinition() };
  const { id: ofFay } = await draft(project, [{ environment: project.production.id, flag: name, edit: create }]);
  await ok(say('request', ofFay, ana));
  assert.deepEqual([await waiting(project, fay), await waiting(project, eve)], [[ofFay], []]);
  assert.ok((await mailsAbout(ofFay)).includes(`${fay.email} ready `));
});

test('the access of a project has the approvals of its environments, and changes them with the rest', async () => {
  const project = await aGuardedProject();
  const path = `/workspaces/${project.id}/access`;
  const here = ({ environments }: Answer['body']) =>
    environments.find(({ id }: { id: string }) => id === project.production.id);
  const none = { restricted: false, grantees: [] };
  assert.deepEqual(here(await ok(api.get(path))).approvals, {
    required: true,
    approvers: none,
    allowKills: false,
    skippers: [],
  });
  const grantee = { id: ben.id, type: 'user' };
  const approvals = { approvers: { restricted: true, grantees: [grantee] }, allowKills: true, skippers: [grantee] };
  const update = { environments: [{ id: project.production.id, approvals }] };
  const changed = here(await ok(api.put(path, update, as(administrator)))).approvals;
  assert.deepEqual(
    [changed.required, changed.allowKills, changed.approvers.grantees[0].id, changed.skippers[0].id],
    [true, true, ben.id, ben.id],
  );
  assert.equal(await needsApproval(project, ben), undefined);
  const off = { environments: [{ id: project.production.id, approvals: { required: false } }] };
  assert.equal(here(await ok(api.put(path, off))).approvals.required, false);
});

test('each environment needs its own approval, and an approver of both gives both', async () => {
  const project = await aGuardedProject({ areApproversRestricted: true, approvers: [{ id: ben.id, type: 'user' }] });
  await ok(
    api.patch(`/environments/ws/${project.id}/${project.staging.id}`, [
      { op: 'replace', path: '/changePermissions/areApprovalsRequired', value: true },
    ]),
  );
  const staging = { ...project.edit(allocate(40)), environment: project.staging.id };
  const id = await aRequest(project, [project.edit(allocate(40)), staging]);
  // Cleo can approve in staging only.
  assert.equal((await ok(say('approve', id, cleo))).status, 'REQUESTED');
  refused(await say('apply', id, ana), 403, new RegExp(`envId=${project.production.id}`));
  assert.equal((await ok(say('approve', id, ben))).status, 'APPROVED');
  await ok(say('apply', id, ana));
});

test('an approval counts only while the one who gave it could still give it', async () => {
  const list = (people: readonly { id: string }[]) => ({
    areApproversRestricted: true,
    approvers: people.map(({ id }) => ({ id, type: 'user' })),
  });
  const project = await aGuardedProject(list([ben]));
  const id = await aRequest(project, [project.edit(allocate(40))]);
  refused(await say('approve', id, cleo), 403, `${cleo.email} cannot approve this changeset`);
  refused(await say('reject', id, cleo), 403, /cannot approve/);
  await ok(say('approve', id, ben));
  await project.guard(list([cleo]));
  refused(await say('apply', id, ana), 403, /^Approvals are required/);
  await project.guard(list([ben, cleo]));
  const dan = await aPerson(api);
  const other = await aRequest(project, [project.edit(allocate(50))]);
  await project.guard(list([dan]));
  await ok(say('approve', other, dan));
  await ok(
    api.put(`/users/${dan.id}`, {
      name: dan.name,
      email: dan.email,
      type: 'user',
      status: 'DEACTIVATED',
      '2fa': false,
    }),
  );
  refused(await say('apply', other, ana), 403, /^Approvals are required/);
  await project.guard(list([ben, dan]));
  await ok(say('apply', id, ana));
});

test('an API key approves only if the environment lists it, and an administrator may always', async () => {
  const project = await aGuardedProject();
  const id = await aRequest(project, [project.edit(allocate(40))]);
  const listed = await ok(api.post('/apiKeys', { name: uniqueName('approver'), apiKeyType: 'admin' }));
  const by = (verb: string) => api.post(`/changesets/${id}/${verb}`, undefined, { as: listed.key });
  refused(await by('approve'), 403, /cannot approve/);
  await project.guard({ approvers: [{ id: listed.id, type: 'api_key' }], areApproversRestricted: true });
  assert.deepEqual(
    (await api.get(`/changesets?workspaceId=${project.id}&filter=waiting`, { as: listed.key })).body.data.length,
    1,
  );
  assert.equal((await ok(by('approve'))).status, 'APPROVED');
  const other = await aRequest(project, [project.edit(allocate(50))]);
  assert.equal((await ok(say('approve', other, administrator))).status, 'APPROVED');
});

test('named approvers are asked, nobody else; where the environment has a list, nobody can be named', async () => {
  const project = await aGuardedProject();
  const id = await aRequest(project, [project.edit(allocate(40))], { approvers: [cleo.email.toUpperCase()] });
  assert.deepEqual([await waiting(project, ben), await waiting(project, cleo)], [[], [id]]);
  refused(await say('approve', id, ben), 403, /cannot approve/);
  assert.equal((await ok(say('approve', id, cleo))).status, 'APPROVED');
  await project.guard({ areApproversRestricted: true, approvers: [{ id: ben.id, type: 'user' }] });
  const other = await draft(project, [project.edit(allocate(50))]);
  const refusal = await say('request', other.id, ana, { approvers: [ben.email] });
  refused(refusal, 400, 'Something was wrong');
});

test('a request is rejected, withdrawn or commented on, and says why it ended', async () => {
  const project = await aGuardedProject();
  const id = await aRequest(project, [project.edit(allocate(40))]);
  await ok(say('comments', id, cleo, { comment: 'Why 40?' }));
  const rejected = await ok(say('reject', id, ben, { comment: 'Not during the sale' }));
  assert.deepEqual([rejected.status, rejected.reason], ['REJECTED', `${ben.email} rejected it: Not during the sale`]);
  refused(await say('apply', id, ana), 409, /is REJECTED/);
  await ok(say('comments', id, ana, { comment: 'After it, then' }));
  const kinds = (await ok(api.get(`/changesets/${id}`))).reviews.map(({ kind }: { kind: string }) => kind);
  assert.deepEqual(kinds, ['request', 'comment', 'reject', 'comment']);
  const other = await aRequest(project, [project.edit(allocate(50))]);
  assert.equal((await ok(api.delete(`/changesets/${other}`, as(ana)))).status, 'WITHDRAWN');
  refused(await say('approve', other, ben), 409, /is WITHDRAWN/);
});

test('someone who edited a request cannot approve it', async () => {
  const project = await aGuardedProject();
  const id = await aRequest(project, [project.edit(allocate(40))]);
  await ok(api.put(`/changesets/${id}`, { operations: [project.edit(allocate(100))] }, as(ben)));
  refused(await say('approve', id, ben), 403, /that you wrote or edited/);
  refused(await say('approve', id, ana), 403, /that you wrote or edited/);
  await ok(say('approve', id, cleo));
});

test('any edit voids approvals for good, whatever is edited and in whichever order', async () => {
  const project = await aGuardedProject();
  const second = await aFlag(api, project);
  const chance = chanceOf(117);
  const contents = [
    { operations: [project.edit(allocate(10))] },
    { operations: [project.edit(allocate(20))] },
    { operations: [project.edit({ kind: 'kill' })] },
    { operations: [project.edit(allocate(10)), { flag: second.name, edit: set('/description', 'new') }] },
    { title: 'One' },
    { title: 'Two' },
    { comment: 'One' },
    { comment: '' },
  ];
  const { id } = await draft(project, [project.edit(allocate(10))]);
  let content = await ok(say('request', id, ana));
  const essence = ({ title, comment, operations }: typeof content) => JSON.stringify({ title, comment, operations });
  const isPatch = (edit: object) => JSON.stringify(edit).includes('trafficAllocation');
  let voided = 0;
  for (let round = 0; round < 60; round += 1) {
    assert.equal((await ok(say('approve', id, ben))).status, 'APPROVED');
    // Sometimes the flag changes, so that the same operations have another base.
    const isRebased = chance.odds(0.2);
    if (isRebased) {
      await project.guard({ areApprovalsRequired: false });
      await ok(
        api.patch(project.flag.path, [{ op: 'replace', path: '/trafficAllocation', value: chance.integer(50, 99) }]),
      );
      await project.guard();
    }
    const edit = chance.oneOf(contents);
    const edited = await ok(api.put(`/changesets/${id}`, edit, as(ana)));
    const isEdited = essence(edited) !== essence(content) || (isRebased && isPatch(edit));
    const valid = edited.reviews.filter(
      ({ kind, voidedAt }: { kind: string; voidedAt?: number }) => kind === 'approve' && voidedAt === undefined,
    );
    if (isEdited) {
      voided += 1;
      assert.deepEqual([valid.length, edited.status], [0, 'REQUESTED'], JSON.stringify(edit));
      refused(await say('apply', id, ana), 403, /^Approvals are required/);
    } else if (!isRebased) assert.deepEqual([valid.length, edited.status], [1, 'APPROVED'], JSON.stringify(edit));
    content = edited;
  }
  assert.ok(voided > 20, `${voided}`);
});

test('an edit hands a ready changeset to others if its author lost the right to apply it', async () => {
  const project = await aProject(api);
  const { name: segment } = await aSegment(api, project, [project.staging]);
  const edit = { kind: 'addKeys', keys: ['one'] };
  const { id } = await draft(project, [{ environment: project.staging.id, segment, edit }]);
  assert.equal((await ok(say('request', id, ana))).status, 'APPROVED');
  await ok(
    api.put(`/workspaces/${project.id}/access`, {
      edit: { restricted: true, grantees: [{ id: ben.id, type: 'user' }] },
    }),
  );
  assert.deepEqual(await waiting(project, ben), []);
  assert.equal((await say('apply', id, ana)).status, 403);
  await ok(api.put(`/changesets/${id}`, { title: 'Please apply it' }, as(ana)));
  assert.deepEqual(await waiting(project, ben), [id]);
});

test('someone who could approve it asks for changes: its author gets a mail, and its state stays', async () => {
  const project = await aGuardedProject();
  const id = await aRequest(project, [project.edit(allocate(40))]);
  await mailsAbout(id);
  refused(
    await say('ask', id, ana, { comment: 'Less' }),
    403,
    'You cannot approve or reject a changeset that you wrote or edited',
  );
  const actions = await api.recorded(async () => {
    const { status, reviews } = await ok(say('ask', id, ben, { comment: 'Start with 10 %' }));
    assert.equal(status, 'REQUESTED');
    assert.deepEqual([reviews.at(-1).kind, reviews.at(-1).comment], ['ask', 'Start with 10 %']);
  });
  assert.deepEqual(actions, ['changeset.asked']);
  const mail = (await listOutbox(api.store))
    .map(({ payload }) => payload as ChangesetMail)
    .find(({ changesetId }) => changesetId === id);
  assert.ok(mail);
  const { subject, text } = composeMail(mail, 'https://flags.example.com');
  assert.equal(subject, 'Ship it: changes asked for');
  assert.match(text, /asked for changes to your changeset “Ship it” in the project .+\n\n> Start with 10 %/);
  assert.deepEqual(await mailsAbout(id), [`${ana.email} asked Start with 10 %`]);
  await ok(say('approve', id, ben));
});

test('operations that take the same right are asked about once', async () => {
  const project = await aProject(api);
  const operations: unknown[] = [];
  const edit = { kind: 'addKeys', keys: ['one'] };
  for (let count = 0; count < 4; count += 1) {
    const { name: segment } = await aSegment(api, project, [project.staging]);
    operations.push({ environment: project.staging.id, segment, edit });
  }
  const { id } = await draft(project, operations);
  const statements = await statementsOf(api.store, () => ok(api.get(`/changesets/${id}/plan`, as(ana))));
  assert.equal(statements.filter((text) => text.includes('is_edit_restricted')).length, 1);
});

/** Direct writes in production, each of which would change what SDKs get. */
async function directWrites({ id, production, flag }: Guarded) {
  const { name: segment } = await aSegment(api, { id }, [production]);
  const { name: rules } = await aRuleBasedSegment(api, { id }, [production]);
  const undefinedFlag = await aFlag(api, { id });
  return {
    create: ['POST', `/splits/ws/${id}/${undefinedFlag.name}/environments/${production.id}`, aDefinition()],
    replace: ['PUT', flag.path, aDefinition({ trafficAllocation: 12 })],
    patch: ['PATCH', flag.path, [{ op: 'replace', path: '/trafficAllocation', value: 13 }]],
    kill: ['PUT', `${flag.path}/kill`, undefined],
    restore: ['PUT', `${flag.path}/restore`, undefined],
    addKeys: ['PUT', `/segments/${production.id}/${segment}/uploadKeys`, { keys: ['one'] }],
    removeKeys: ['PUT', `/segments/${production.id}/${segment}/removeKeys`, { keys: ['one'] }],
    rules: [
      'PUT',
      `/rule-based-segments/ws/${id}/${rules}/environments/${production.id}`,
      { rules: [], excludedKeys: ['a'] },
    ],
    archive: ['POST', `/splits/ws/${id}/${flag.name}/archive`, undefined],
    delete: ['DELETE', flag.path, undefined],
    deleteFlag: ['DELETE', `/splits/ws/${id}/${flag.name}`, undefined],
  } as const;
}

test('where approvals are required, direct writes are refused with what to do, and nothing else is', async () => {
  const project = await aGuardedProject();
  const writes = await directWrites(project);
  const actions = await api.recorded(async () => {
    for (const [name, [method, path, body]] of Object.entries(writes)) {
      const answer = await api.call(method, path, { body });
      const envId = project.production.id;
      refused(answer, 403, new RegExp(`^Approvals are required\\. orgId=[\\w-]+ envId=${envId}$`));
      assert.match(answer.body.details, /POST \/changesets/, name);
    }
  });
  assert.deepEqual(actions, []);
  await ok(
    api.patch(`/splits/ws/${project.id}/${project.flag.name}`, [{ op: 'replace', path: '/description', value: 'new' }]),
  );
  const staging = `/splits/ws/${project.id}/${project.flag.name}/environments/${project.staging.id}`;
  await ok(api.patch(staging, [{ op: 'replace', path: '/trafficAllocation', value: 14 }]));
  await ok(api.delete(`/splits/ws/${project.id}/${(await aFlag(api, project)).name}`));
});

test('a deleted segment comes back with its rules without an approval, unless something names it meanwhile', async () => {
  const project = await aGuardedProject();
  const { name } = await aRuleBasedSegment(api, project, [project.production]);
  const rules = `/rule-based-segments/ws/${project.id}/${name}/environments/${project.production.id}`;
  const deleted = async () => {
    await ok(api.delete(`/rule-based-segments/ws/${project.id}/${name}`, as(ana)));
    return (await api.lastChange()).object.id;
  };
  await changePermissions(project, { areApprovalsRequired: false });
  await ok(api.put(rules, { rules: [], excludedKeys: ['ana'] }));
  await project.guard();
  const restore = `/segments/ws/${project.id}/deleted/${await deleted()}/restore`;
  await ok(api.post(restore, undefined, as(ana)));
  assert.equal((await api.lastChange()).withoutApproval, undefined);
  assert.deepEqual((await ok(api.get(rules))).excludedKeys, ['ana']);

  await deleted();
  const condition = { combiner: 'AND', matchers: [{ type: 'IN_SEGMENT', string: name }] };
  const naming = aDefinition({ rules: [{ buckets: [{ treatment: 'on', size: 100 }], condition }] });
  await project.guard({ approvalSkippableBy: [{ id: ben.id, type: 'user' }] });
  await ok(api.put(project.flag.path, naming, as(ben)));
  refused(await api.post(restore, undefined, as(ana)), 403, /^Approvals are required/);
  await ok(api.post(restore, undefined, as(ben)));
  assert.equal((await api.lastChange()).withoutApproval, 'skipped');
});

test('kills go through where the environment allows them, and those who skip approvals write; the audit log says so', async () => {
  const project = await aGuardedProject({ allowKills: true });
  await ok(api.put(`${project.flag.path}/kill`, undefined, as(ana)));
  assert.equal((await api.lastChange()).withoutApproval, 'kill');
  assert.equal(await needsApproval(project, ana), 'unless-kill');
  refused(await api.put(`${project.flag.path}/restore`, undefined, as(ana)), 403, /^Approvals are required/);
  const { id } = await draft(project, [project.edit({ kind: 'kill' })]);
  assert.equal((await ok(say('apply', id, ana))).status, 'PUBLISHED');
  await project.guard({ approvalSkippableBy: [{ id: ben.id, type: 'user' }] });
  await ok(api.put(`${project.flag.path}/restore`, undefined, as(ben)));
  assert.equal((await api.lastChange()).withoutApproval, 'skipped');
  assert.deepEqual(
    [await needsApproval(project, ana), await needsApproval(project, ben)],
    ['always', undefined],
    'people know before they change something',
  );
  const other = await draft(project, [project.edit(allocate(33))]);
  refused(await say('apply', other.id, ana), 403, /^Approvals are required/);
  await ok(say('apply', other.id, ben));
  const { body } = await api.get(`/auditLogs?changesetId=${other.id}`);
  const entry = body.data.find(({ auditLogType }: Named) => auditLogType === 'definition.patched');
  assert.deepEqual([entry.changesetId, entry.withoutApproval], [other.id, 'skipped']);
});

/** The mails about a changeset that wait to be sent, and takes them away. */
async function mailsAbout(changesetId: string): Promise<string[]> {
  const mails = (await listOutbox(api.store)).flatMap(({ kind, payload }) =>
    kind === 'changeset' ? [payload as ChangesetMail] : [],
  );
  await api.store.write((tx) => deleteNewsMails(tx));
  return mails
    .filter((one) => one.changesetId === changesetId)
    .map(({ email, news, comment }) => `${email} ${news} ${comment}`)
    .sort();
}

test('those who can approve get a mail about a request, and its author about what others did with it', async () => {
  const [dan, eve] = [await aPerson(api), await aPerson(api)];
  const project = await aGuardedProject({
    areApproversRestricted: true,
    approvers: [ana, ben, dan, eve].map(({ id }) => ({ id, type: 'user' })),
  });
  const deactivated = { ...(await ok(api.get(`/users/${eve.id}`))), status: 'DEACTIVATED' };
  await ok(api.put(`/users/${eve.id}`, deactivated));
  const id = await aRequest(project, [project.edit(allocate(40))], { comment: 'Before Friday' });
  // Neither the author, nor those who are not listed, nor those who cannot sign in.
  const mail = (await listOutbox(api.store))
    .map(({ payload }) => payload as ChangesetMail)
    .find(({ changesetId }) => changesetId === id);
  assert.ok(mail);
  const { subject, text, html } = composeMail(mail, 'https://flags.example.com');
  assert.equal(subject, 'Approve: Ship it');
  for (const words of [
    `${ana.email} asks you to approve`,
    'Before Friday',
    `https://flags.example.com/p/${project.id}/changesets/${id}`,
  ]) {
    assert.ok(text.includes(words) && html.includes(words), words);
  }
  assert.deepEqual(
    await mailsAbout(id),
    [`${ben.email} requested Before Friday`, `${dan.email} requested Before Friday`].sort(),
  );
  await ok(say('approve', id, ben, { comment: 'Fine' }));
  assert.deepEqual(await mailsAbout(id), [`${ana.email} approved Fine`]);
  await ok(api.put(`/changesets/${id}`, { title: 'Ship it now' }, as(ana)));
  assert.equal((await mailsAbout(id)).length, 2, 'the approval is void, so they are asked again');
  await ok(say('reject', id, dan, { comment: 'Not on a Friday' }));
  assert.deepEqual(await mailsAbout(id), [`${ana.email} rejected Not on a Friday`]);
  const { id: request } = await ok(
    api.post(
      `/changeRequests/ws/${project.id}/environments/${project.production.id}`,
      { split: { name: project.flag.name }, operationType: 'KILL', title: 'Off' },
      as(ana),
    ),
  );
  await ok(api.put(`/changeRequests/${request}`, { status: 'APPROVED', comment: 'Quick' }, as(ben)));
  // One mail, not one for the approval and one for what it published.
  assert.deepEqual(
    (await mailsAbout(request)).filter((line) => line.startsWith(ana.email)),
    [`${ana.email} published Quick`],
  );
});

test('those who can approve are found among thousands', async () => {
  const digits = sql`(values (0), (1), (2), (3), (4), (5), (6), (7), (8), (9))`;
  await api.store.write((tx) =>
    tx.run(sql`
      with digits (n) as ${digits}, numbers (n) as (
        select a.n + 10 * b.n + 100 * c.n + 1000 * d.n from digits a, digits b, digits c, digits d)
      insert into users (id, name, email, email_key, status, two_factor, created_at)
      select 'early-' || n, '', 'early-' || n, 'early-' || n, 'ACTIVE', false, n from numbers where n < 4500`),
  );
  const project = await aGuardedProject({ areApproversRestricted: true, approvers: [{ id: ben.id, type: 'user' }] });
  const id = await aRequest(project, [project.edit(allocate(40))]);
  assert.deepEqual(await mailsAbout(id), [`${ben.email} requested `]);
});

test('a deactivated user gets no pending mail', async () => {
  const dan = await aPerson(api);
  const project = await aGuardedProject({ areApproversRestricted: true, approvers: [{ id: dan.id, type: 'user' }] });
  const id = await aRequest(project, [project.edit(allocate(40))]);
  await ok(api.put(`/users/${dan.id}`, { ...(await ok(api.get(`/users/${dan.id}`))), status: 'DEACTIVATED' }));
  assert.deepEqual(await mailsAbout(id), []);
});

// Last: it moves the clock.
test('a request expires once, whoever looks', async () => {
  const project = await aGuardedProject();
  const id = await aRequest(project, [project.edit(allocate(40))]);
  const { expiresAt } = await ok(api.get(`/changesets/${id}`));
  const log = pino({ level: 'silent' });
  const expire = (one: string) =>
    expireChangeset(contextFor(api.store, { actor: system, transactionId: 'expiry' }), one);
  api.clock.now = expiresAt - 1;
  try {
    await expire(id);
    assert.equal(await stateOf(id), 'REQUESTED');
    api.clock.now = expiresAt;
    const nodes = [1, 2, 3].map(() => startExpiry({ store: api.store, log, expire }));
    while ((await stateOf(id)) === 'REQUESTED') await nextTurn();
    await Promise.all(nodes.map((node) => node.stop()));
    const told = (await mailsAbout(id)).filter((line) => line.startsWith(ana.email));
    assert.deepEqual(told, [`${ana.email} expired Nobody applied or rejected it in time`]);
    const { body } = await api.get(`/auditLogs?objectId=${id}&objectType=changeset`);
    const ends = body.data.filter(({ auditLogType }: Named) => auditLogType === 'changeset.expired');
    assert.equal(ends.length, 1);
    const { status, reason } = await ok(api.get(`/changesets/${id}`));
    assert.deepEqual([status, reason], ['EXPIRED', 'Nobody applied or rejected it in time']);
  } finally {
    api.clock.now = undefined;
  }
});
