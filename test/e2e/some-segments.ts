import type { Visitor } from './browser.ts';
import { aMember, type Things } from './support.ts';

/** One segment of each kind; the standard one has keys in Staging, and a flag there names it. */
export async function someSegments({ api, project, environments }: Things): Promise<void> {
  const staging = environments.Staging?.id;
  const ofProject = (kind: string) => `/${kind}/ws/${project.id}/trafficTypes/user`;
  await api('POST', ofProject('segments'), { name: 'beta_testers', description: 'Asked for early access' });
  await api('POST', ofProject('rule-based-segments'), { name: 'eu_customers' });
  await api('POST', ofProject('large-segments'), { name: 'blocked_cards' });
  await api('POST', `/tags/ws/${project.id}/object/beta_testers/objecttype/Segment`, ['growth']);
  await api('POST', `/segments/${staging}/beta_testers`);
  await api('PUT', `/segments/${staging}/beta_testers/uploadKeys`, { keys: ['ana', 'liu', 'noor'] });
  await api('POST', `/rule-based-segments/${staging}/eu_customers`);
  await api('PUT', `/rule-based-segments/ws/${project.id}/eu_customers/environments/${staging}`, {
    rules: [
      {
        condition: {
          combiner: 'AND',
          matchers: [{ type: 'IN_LIST_STRING', attribute: 'country', strings: ['DE', 'FR'] }],
        },
      },
    ],
    excludedKeys: ['mallory'],
    excludedSegments: [{ name: 'beta_testers', type: 'standard_segment' }],
  });
  await api('POST', `/splits/ws/${project.id}/trafficTypes/user`, { name: 'new_basket' });
  await api('POST', `/splits/ws/${project.id}/new_basket/environments/${staging}`, {
    treatments: [{ name: 'on' }, { name: 'off' }],
    defaultTreatment: 'off',
    rules: [
      {
        buckets: [{ treatment: 'on', size: 100 }],
        condition: { combiner: 'AND', matchers: [{ type: 'IN_SEGMENT', string: 'beta_testers' }] },
      },
    ],
    defaultRule: [{ treatment: 'off', size: 100 }],
  });
}

/** Staging requires approvals. */
export const guardStaging = ({ api, project, environments }: Things, areApprovalsRequired = true) =>
  api('PATCH', `/environments/ws/${project.id}/${environments.Staging?.id}`, [
    { op: 'replace', path: '/changePermissions', value: { areApprovalsRequired } },
  ]);

/** Someone who sees Checkout and cannot edit it. */
export async function aReader(things: Things): Promise<Visitor> {
  const { id } = await things.api('POST', '/groups', { name: 'Payments' });
  await things.api('PUT', `/workspaces/${things.project.id}/access`, {
    edit: { restricted: true, grantees: [{ id, type: 'group' }] },
  });
  return aMember(things);
}
