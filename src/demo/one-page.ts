/** The flag in the pictures, and its history. */
import type { Moment } from './team.ts';

export const onePage = 'checkout_one_page';

const treatments = [
  {
    name: 'on',
    description: 'The one-page checkout',
    keys: ['qa-bot-1', 'ana.ruiz', 'liu.wei', 'qa-bot-2', 'noor.haddad'],
  },
  { name: 'off', description: 'The three-step checkout', keys: ['acme-legacy'] },
  { name: 'compact', description: 'One page, without the summary column', configurations: '{"columns": 1}' },
];
const ruleOf = (matchers: readonly unknown[], buckets: Record<string, number>) => ({
  buckets: bucketsOf(buckets),
  condition: { combiner: 'AND', matchers },
});
const isOneOf = (attribute: string, ...strings: string[]) => ({ type: 'IN_LIST_STRING', attribute, strings });
const bucketsOf = (shares: Record<string, number>) =>
  Object.entries(shares).map(([treatment, size]) => ({ treatment, size }));
const employees = ruleOf([{ type: 'ENDS_WITH_STRING', attribute: 'email', strings: ['@acme.example'] }], { on: 100 });
const beta = ruleOf([{ type: 'BOOLEAN', attribute: 'beta', bool: true }, isOneOf('country', 'DE', 'AT', 'CH')], {
  on: 50,
  compact: 50,
});
const share = (on: number) => bucketsOf({ on, off: 100 - on });
const first = { treatments, defaultTreatment: 'off', rules: [employees], defaultRule: share(0) };
const inProduction = [{ ...treatments[0], keys: ['qa-bot-1'] }, treatments[1], treatments[2]];

interface Ramp {
  readonly on: number;
  readonly title: string;
  readonly comment?: string;
}

/** What happened to it, oldest first: days ago, who, where, what. */
export async function tellStoryOf({ at, call, team }: Moment): Promise<void> {
  const { ana, liu, noor } = team;
  const change = (days: number, who: typeof ana, [environment, title, operations, comment = '']: Change) =>
    at(days, () => call(who, 'PATCH', onePage, { environment, note: { title, comment }, body: operations }));
  const ramp = (days: number, who: typeof ana, [environment, { on, title, comment = '' }]: [string, Ramp]) =>
    change(days, who, [environment, title, [replace('/defaultRule', share(on))], comment]);
  const define = (days: number, who: typeof ana, [environment, body]: [string, unknown]) =>
    at(days, () => call(who, 'POST', onePage, { environment, note: { title: 'First definition' }, body }));

  await define(12.4, ana, ['Development', { ...first, defaultRule: share(100) }]);
  await define(12.2, ana, ['Staging', first]);
  await define(10.1, liu, ['Production', { ...first, treatments: inProduction }]);
  await ramp(9.3, liu, ['Staging', { on: 10, title: 'Ramp, first tenth' }]);
  await change(8.2, liu, [
    'Staging',
    'Beta testers in Germany, Austria and Switzerland',
    [replace('/rules', [employees, beta])],
  ]);
  await ramp(6.1, liu, ['Staging', { on: 25, title: 'Ramp, week one', comment: 'Error rate is flat.' }]);
  await ramp(4.3, noor, ['Production', { on: 1, title: 'First customers' }]);
  await ramp(2.2, ana, ['Staging', { on: 50, title: 'Ramp, week two' }]);
  await ramp(0.2, liu, [
    'Production',
    { on: 10, title: 'Ramp, first tenth', comment: 'Conversion is up by 1.2 points, support sees no new tickets.' },
  ]);
}

type Change = [environment: string, title: string, operations: unknown[], comment?: string];

export const replace = (path: string, value: unknown) => ({ op: 'replace', path, value });
