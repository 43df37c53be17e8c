/** Fills a server with what a team has after two weeks: people, groups, keys, flags, and who changed what when. */
import { dayMs } from '#domain/durations.ts';
import { catalogue, environmentNames } from './catalogue.ts';
import { onePage, replace, tellStoryOf } from './one-page.ts';
import type { Api, Server } from './server.ts';

export interface Place {
  readonly project: { readonly id: string; readonly name: string };
  /** By name. */
  readonly environments: Readonly<Record<string, { readonly id: string; readonly name: string }>>;
}

interface Call {
  readonly environment: string;
  readonly note?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** Behind the environment: `kill`, `restore`. */
  readonly action?: string;
}

export interface Moment {
  readonly team: Readonly<Record<'ana' | 'liu' | 'noor' | 'tomasz' | 'machine', Api>>;
  /** Runs it with the clock set back by this many days. */
  at<Result>(days: number, what: () => Promise<Result>): Promise<Result>;
  /** Calls the API about a flag in an environment. */
  call(who: Api, method: string, flag: string, call: Call): Promise<unknown>;
}

const now = Date.now();
/** Sessions and invitations last about two weeks, so everything happened within. */
export const teamSince = now - 13.6 * dayMs;

/** `webKey`: the client-side key of the shop's web page, in Production. */
export async function seedTeam(server: Server): Promise<Place & { readonly webKey: string }> {
  const at: Moment['at'] = async (days, what) => {
    server.clock.now = now - days * dayMs;
    return await what();
  };
  const machine = server.asMachine;
  const ana = await at(13.5, server.firstAdministrator);
  const place = await at(13.4, () => aPlaceWithFive(machine));
  const groups = await at(13.3, () => makeGroups(ana));
  const join = async (name: string, email: string, groupIds: readonly string[]) => {
    await ana('POST', '/users', { email, groups: groupIds.map((id) => ({ id, type: 'group' })) });
    return server.accept(email, name);
  };
  const liu = await at(13.2, () => join('Liu Wei', 'liu@example.org', [groups.checkout, groups.release]));
  const noor = await at(13.1, () => join('Noor Haddad', 'noor@example.org', [groups.checkout]));
  const tomasz = await at(13, () => join('Tomasz Kowalczyk', 'tomasz@example.org', [groups.payments]));
  await at(12.9, () => join('Sofia Lindqvist', 'sofia@example.org', [groups.payments, groups.release]));
  await at(12.8, () => join('Priya Raghunathan', 'priya@example.org', [groups.checkout]));
  await at(12.7, () => join('Jonas Weber', 'jonas@example.org', []));

  const team = { ana, liu, noor, tomasz, machine };
  const call: Moment['call'] = (who, method, flag, { environment, note = {}, body, action }) => {
    const path = `/splits/ws/${place.project.id}/${flag}/environments/${place.environments[environment]?.id}`;
    return who(method, `${path}${action ? `/${action}` : ''}?${new URLSearchParams(note)}`, body);
  };
  await makeFlags({ team, at, call }, place);
  await makeSegments({ team, at, call }, place);
  const webKey = await makeKeys({ team, at, call }, place);
  await tellStoryOf({ team, at, call });
  await aBusyWeek({ team, at, call }, place);
  await at(1.3, () => leaveAndCome(ana));
  server.clock.now = undefined;
  return { ...place, webKey };
}

/** The first project, renamed, with five environments in the order in which a change goes through them. */
async function aPlaceWithFive(api: Api): Promise<Place> {
  const { id } = (await api('GET', '/workspaces')).objects[0];
  await api('PATCH', `/workspaces/${id}`, [replace('/name', 'Checkout')]);
  const [production, other] = await api('GET', `/environments/ws/${id}`);
  const environments: Record<string, { id: string; name: string }> = {};
  const keep = async (one: { id: string }, name: string) => {
    await api('PATCH', `/environments/ws/${id}/${one.id}`, [replace('/name', name)]);
    environments[name] = { id: one.id, name };
  };
  await keep(production, 'Production');
  await keep(other, 'Development');
  for (const name of environmentNames.filter((one) => environments[one] === undefined)) {
    const made = await api('POST', `/environments/ws/${id}`, { name, production: false });
    environments[name] = { id: made.id, name };
  }
  return { project: { id, name: 'Checkout' }, environments };
}

async function makeGroups(api: Api) {
  const make = async (name: string, description: string): Promise<string> =>
    (await api('POST', '/groups', { name, description })).id;
  return {
    checkout: await make('Checkout team', 'Basket, addresses, delivery'),
    payments: await make('Payments', 'Cards, wallets, invoices'),
    release: await make('Release managers', 'They decide what goes to production'),
  };
}

async function makeFlags({ team, at, call }: Moment, place: Place): Promise<void> {
  const killed = async ({ environment, who, name }: { environment: string; who: Api; name: string }) => {
    await call(who, 'PATCH', name, { environment, body: [replace('/rules', [staff, inCountries])] });
    await call(who, 'PUT', name, { environment, action: 'kill', body: { title: 'Timeouts since 14:05' } });
  };
  const authors = [team.liu, team.noor, team.tomasz, team.ana];
  for (const [index, { shares, killedIn, ...flag }] of catalogue.entries()) {
    const api = authors[index % authors.length] ?? team.ana;
    const on = Object.fromEntries(
      environmentNames.flatMap((name, place) => (shares[place] === undefined ? [] : [[name, shares[place]]])),
    );
    await at(12.6 - index * 0.1, () => aFlag({ ...place, api }, flag.name, { ...flag, on }));
    if (killedIn !== undefined) await at(1.1, () => killed({ environment: killedIn, who: api, name: flag.name }));
  }
  await at(12.5, () =>
    aFlag({ ...place, api: team.ana }, onePage, {
      description: 'Replaces the three-step checkout with a single page.',
      tags: ['payments', 'q4-launch'],
      status: 'Ramping',
    }),
  );
}

interface FlagOptions {
  readonly description?: string;
  readonly tags?: readonly string[];
  readonly status?: string;
  /** The share of `on` in each environment where it is defined. */
  readonly on?: Readonly<Record<string, number>>;
  readonly killedIn?: string;
}

/** A flag with what the options say; the treatments are on and off. */
export async function aFlag(
  { api, project, environments }: Place & { readonly api: Api },
  name: string,
  options: FlagOptions = {},
) {
  const { description = '', tags = [], status, on = {}, killedIn } = options;
  const flag = await api('POST', `/splits/ws/${project.id}/trafficTypes/user`, { name, description });
  const path = `/splits/ws/${project.id}/${name}`;
  if (tags.length > 0) await api('PATCH', path, [replace('/tags', tags)]);
  if (status !== undefined) {
    const statuses: { id: string; name: string }[] = await api('GET', `/rolloutStatuses?wsId=${project.id}`);
    const id = statuses.find((one) => one.name === status)?.id;
    await api('PATCH', path, [replace('/rolloutStatus/id', id)]);
  }
  for (const [environment, share] of Object.entries(on)) {
    await api('POST', `${path}/environments/${environments[environment]?.id}`, definitionWith(share));
  }
  if (killedIn !== undefined) await api('PUT', `${path}/environments/${environments[killedIn]?.id}/kill`, {});
  return flag;
}

export const definitionWith = (share: number) => ({
  treatments: [{ name: 'on' }, { name: 'off' }],
  defaultTreatment: 'off',
  rules: [],
  defaultRule: [
    { treatment: 'on', size: share },
    { treatment: 'off', size: 100 - share },
  ],
});

/** Who is on staff, who tests early, and the attributes that rules use. */
async function makeSegments({ team: { ana, liu }, at }: Moment, { project, environments }: Place): Promise<void> {
  const ws = `/ws/${project.id}`;
  for (const [id, description, suggestedValues] of [
    ['country', 'ISO code of the delivery address', ['AT', 'CH', 'DE', 'GB', 'IE', 'PL', 'SE']],
    ['email', 'Of customers who are signed in', []],
    ['beta', 'Whether they joined the beta programme', []],
  ] as const) {
    const body = { id, displayName: id, description, dataType: 'string', suggestedValues };
    await at(12.3, () => ana('POST', `/schema${ws}/trafficTypes/user`, body));
  }
  const standard = { name: 'beta_testers', description: 'Customers who asked to see new things first' };
  await at(12.1, () => liu('POST', `/segments${ws}/trafficTypes/user`, standard));
  for (const name of ['Staging', 'Production']) {
    const path = `/segments/${environments[name]?.id}/beta_testers`;
    await at(12.1, () => liu('POST', path));
    const keys = Array.from({ length: name === 'Production' ? 240 : 40 }, (_, index) => `user-${4700 + 7 * index}`);
    await at(12, () => liu('PUT', `${path}/uploadKeys`, { keys, title: 'From the beta programme' }));
  }
  const ruleBased = { name: 'employees', description: 'Everyone with an address of the company' };
  await at(11.9, () => liu('POST', `/rule-based-segments${ws}/trafficTypes/user`, ruleBased));
  for (const name of ['Staging', 'Production']) {
    const { condition } = staff;
    await at(11.9, () => liu('POST', `/rule-based-segments/${environments[name]?.id}/employees`));
    await at(11.9, () =>
      liu('PUT', `/rule-based-segments${ws}/employees/environments/${environments[name]?.id}`, {
        rules: [{ condition }],
      }),
    );
  }
}

async function makeKeys({ team: { ana, machine }, at }: Moment, { project, environments }: Place): Promise<string> {
  const workspace = { id: project.id, type: 'workspace' };
  const environment = (name: string) => ({ id: environments[name]?.id, type: 'environment' });
  const key = (days: number, name: string, fields: object) =>
    at(days, () => ana('POST', '/apiKeys', { name, workspace, ...fields }));
  await key(11.8, 'terraform', { apiKeyType: 'admin' });
  await key(11.2, 'nightly export', { apiKeyType: 'admin', roles: ['API_FEATURE_FLAG_VIEWER'] });
  const inOne = (name: string) => ({ environments: [environment(name)] });
  await key(10.7, 'shop backend', { apiKeyType: 'server_side', ...inOne('Production') });
  const web = await key(10.6, 'shop web', { apiKeyType: 'client_side', ...inOne('Production') });
  await key(9.4, 'shop backend, staging', { apiKeyType: 'server_side', ...inOne('Staging') });
  await at(0.01, () => machine('GET', '/workspaces'));
  return web.key;
}

/** What makes the activity of a week: ramps, a night with trouble, and the daily things. */
async function aBusyWeek({ team, at, call }: Moment, { project }: Place): Promise<void> {
  const { ana, liu, noor, tomasz, machine } = team;
  const flag = (name: string) => `/splits/ws/${project.id}/${name}`;
  const share = (on: number) => [
    replace('/defaultRule', [
      { treatment: 'on', size: on },
      { treatment: 'off', size: 100 - on },
    ]),
  ];
  const ramp = (days: number, who: Api, [name, on, title, comment = '']: [string, number, string, string?]) =>
    at(days, () => call(who, 'PATCH', name, { environment: 'Production', note: { title, comment }, body: share(on) }));
  await ramp(6.4, noor, ['order_confirmation_redesign', 90, 'Nearly everybody']);
  await ramp(5.8, tomasz, ['card_tokenisation_v3', 15, 'Five more', 'Declines are where they were.']);
  await at(5.6, () => noor('PATCH', flag('delivery_slot_picker'), [replace('/tags', ['delivery', 'q4-launch'])]));
  await ramp(4.8, liu, ['idempotent_order_submission', 90, 'Up to 90']);
  await at(4.5, () =>
    call(tomasz, 'PUT', 'payment_retry_with_second_acquirer', {
      environment: 'Production',
      action: 'kill',
      body: { title: 'Double charges', comment: 'Two customers were charged twice since 21:40; looking into it.' },
    }),
  );
  await at(3.9, () =>
    call(tomasz, 'PUT', 'payment_retry_with_second_acquirer', {
      environment: 'Production',
      action: 'restore',
      body: { title: 'Fixed in 4.18.2', comment: 'The second acquirer gets the same idempotency key now.' },
    }),
  );
  await ramp(3.4, machine, ['klarna_widget_lazy_loading', 75, 'Nightly ramp']);
  await at(3.1, () =>
    ana('PATCH', flag('wishlist_share_link'), [
      replace('/description', 'Wish lists have a link to share; the old code is gone.'),
    ]),
  );
  await ramp(2.6, noor, ['apple_pay_express_button', 50, 'Half of all customers']);
  await ramp(2.4, machine, ['klarna_widget_lazy_loading', 90, 'Nightly ramp']);
  await at(1.8, () =>
    call(liu, 'PATCH', 'currency_switcher', {
      environment: 'Production',
      note: { title: 'Pounds for Ireland too' },
      body: [replace('/rules', [inCountries])],
    }),
  );
  await ramp(1.4, machine, ['klarna_widget_lazy_loading', 100, 'Nightly ramp']);
  await ramp(0.6, tomasz, ['card_tokenisation_v3', 25, 'A quarter']);
  await ramp(0.15, noor, ['store_pickup_same_day', 30, 'All stores in the north', 'Malmö and Gdańsk are in.']);
}

const toAll = { buckets: [{ treatment: 'on', size: 100 }] };
const staff = {
  ...toAll,
  condition: {
    combiner: 'AND',
    matchers: [{ type: 'ENDS_WITH_STRING', attribute: 'email', strings: ['@acme.example'] }],
  },
};
const inCountries = {
  ...toAll,
  condition: {
    combiner: 'AND',
    matchers: [{ type: 'IN_LIST_STRING', attribute: 'country', strings: ['GB', 'IE'] }],
  },
};

/** Somebody has left, and two are about to come. */
async function leaveAndCome(ana: Api): Promise<void> {
  const { data } = await ana('GET', '/users?limit=100');
  const jonas = data.find((user: { email: string }) => user.email.startsWith('jonas'));
  await ana('PATCH', `/users/${jonas.id}`, [replace('/status', 'DEACTIVATED')]);
  for (const email of ['kwame@example.org', 'marguerite.vandenberghe@partner.example.org'])
    await ana('POST', '/users', { email });
}
