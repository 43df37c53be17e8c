/** Nobody reads or changes anything outside their scope. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startApi } from '../support/app.ts';
import { runMatrix } from '../support/isolation-matrix.ts';
import { triedEndpoints } from '../support/isolation-requests.ts';
import { runSessions } from '../support/isolation-sessions.ts';
import { isolationWorld } from '../support/isolation-world.ts';
import { isLong, report } from '../support/trust.ts';

const api = await startApi();
const world = await isolationWorld(api);

test('objects outside the scope are answered like missing ones, and refused requests change nothing', async () => {
  const { cases, failures } = await runMatrix(api, world, isLong ? {} : { thirds: true });
  const endpoints = triedEndpoints(api).length;
  report(`isolation: ${cases} cases, ${endpoints} endpoints × ${world.principals.length} principals`);
  assert.deepEqual(failures.slice(0, 10), []);
});

test('a session is only its owner’s, and keys are no sessions', async () => {
  const { cases, failures } = await runSessions(api, world);
  report(`isolation: ${cases} cases about sessions`);
  assert.deepEqual(failures, []);
});

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
}

/** The places of a schema that name a thing, as far as their names tell. */
function idsIn({ properties = {}, items }: Schema, place: string): string[] {
  const named = Object.entries(properties).flatMap(([name, schema]) => {
    const names = /id$|identifier$|^(actor|rolloutStatus|splitName|groups)$/i.test(name) ? [`${place}/${name}`] : [];
    return [...names, ...idsIn(schema, `${place}/${name}`)];
  });
  return items ? [...named, ...idsIn(items, `${place}/*`)] : named;
}

/** The first must agree with the path, the others are texts of the client's. */
const namingNothing = [
  'replaceGroup body/id',
  'createTrafficType body/displayAttributeId',
  'listProjects query/organizationIdentifier',
  'saveAttribute body/id',
  'createDefinition body/flagSets/*/id',
  'replaceDefinition body/flagSets/*/id',
  'replaceAttribute body/id',
  'saveAttributes body/*/id',
  // It is an object, whose id names the status.
  'submitChangeRequest body/rolloutStatus',
  // The path names the project; in the body its id is ignored.
  'changeProjectAccess body/id',
];

test('every place of a query or a body that names a thing is tried', () => {
  for (const { name, endpoint, shapes } of triedEndpoints(api)) {
    const tried = shapes
      .flatMap(({ slots }) => Object.keys(slots))
      .map((slot) => slot.replaceAll(/\/\d+(?=\/|$)/g, '/*'));
    const { query = {}, body = {}, looseBody = {} } = endpoint;
    const places = [...idsIn(query, 'query'), ...idsIn(body, 'body'), ...idsIn(looseBody, 'body')];
    const missed = places
      .map((place) => place.replace(/\/groups$/, '/groups/*'))
      .filter((place) => !tried.includes(place.replace('groups/*/id', 'groups/*')));
    assert.deepEqual(
      missed.map((place) => `${name.split('.')[1]} ${place}`).filter((place) => !namingNothing.includes(place)),
      [],
    );
  }
});
