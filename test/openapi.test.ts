/** The OpenAPI document matches the contract. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { problemsOf } from '#contract/endpoint.ts';
import { examples } from '#contract/examples/all.ts';
import { toOpenApi } from '#contract/openapi.ts';
import { statusOf } from '#contract/parts.ts';
import { problems } from '#domain/problems.ts';
import { shapeOf } from '#domain/shapes.ts';
import { everyEndpoint, paramsOf, pathWith } from './support/every-endpoint.ts';

interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly parameters: readonly {
    readonly name: string;
    readonly in: string;
    readonly required: boolean;
    readonly description?: string;
    readonly example?: string;
  }[];
  readonly requestBody?: { readonly content: Record<string, { readonly schema: object }> };
  readonly responses: Record<
    string,
    {
      readonly description: string;
      readonly headers?: Record<string, object>;
      readonly content: Record<string, { readonly schema: object }>;
    }
  >;
}

interface Document {
  readonly openapi: string;
  readonly tags: readonly { readonly name: string; readonly description?: string }[];
  readonly paths: Record<string, Record<string, Operation>>;
}

/** As it goes over the wire: what JSON leaves out is left out. */
const document = JSON.parse(JSON.stringify(toOpenApi())) as Document;
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ place: `${method.toUpperCase()} ${path}`, ...operation })),
);

const endpoints = everyEndpoint.map((endpoint) => ({
  endpoint,
  place: `${endpoint.method} ${pathWith(endpoint.path, (word) => `{${word}}`)}`,
}));

const operationAt = (place: string) =>
  operations.find((operation) => operation.place === place) ?? assert.fail(`${place} is not described`);

test('docs/openapi.json is what the contract makes', () => {
  const written = readFileSync(new URL('../docs/openapi.json', import.meta.url), 'utf8');
  assert.ok(written === `${JSON.stringify(document, null, 2)}\n`, 'docs/openapi.json is stale: run `npm run openapi`');
});

test('every endpoint is described, and nothing else', () => {
  assert.equal(document.openapi, '3.1.0');
  assert.deepEqual(operations.map(({ place }) => place).sort(), endpoints.map(({ place }) => place).sort());
});

test('every operation has a name of its own, a summary and the schema of its answer', () => {
  assert.equal(new Set(operations.map((operation) => operation.operationId)).size, operations.length);
  for (const { place, summary, responses } of operations) {
    assert.match(summary, /\S/, place);
    const schema = Object.values(responses['200']?.content ?? {})[0]?.schema;
    assert.ok(schema && Object.keys(schema).length > 0, place);
  }
});

test('every operation lists each problem that its endpoint can refuse, under its status, with the error body', () => {
  for (const { endpoint, place } of endpoints) {
    const { responses } = operationAt(place);
    for (const code of problemsOf(endpoint)) {
      const response = responses[statusOf[problems[code].kind]] ?? assert.fail(`${place} lacks ${code}`);
      assert.ok(response.description.includes(`\`${code}\``), `${place} lacks ${code}`);
      assert.deepEqual(response.headers?.['X-Burgee-Problem'], { $ref: '#/components/headers/Problem' });
      assert.deepEqual(response.content['application/json']?.schema, { $ref: '#/components/schemas/Error' });
    }
    const statuses = new Set(problemsOf(endpoint).map((code) => String(statusOf[problems[code].kind])));
    assert.deepEqual(new Set(Object.keys(responses)), statuses.add('200'), place);
  }
});

test('where a missing title or comment is refused, the description says that the body is empty', () => {
  const found = endpoints.filter(({ endpoint }) => problemsOf(endpoint).includes('note_required'));
  assert.ok(found.length > 0);
  for (const { place } of found) {
    assert.match(operationAt(place).responses[400]?.description ?? '', /`note_required`: [^\n]* empty body/, place);
  }
});

test('every word of a path and every parameter of a query is described', () => {
  for (const { endpoint, place } of endpoints) {
    const { parameters } = operationAt(place);
    const namesIn = (where: string) => parameters.filter((one) => one.in === where).map((one) => one.name);
    assert.deepEqual(namesIn('path'), paramsOf(endpoint));
    assert.deepEqual(namesIn('query'), Object.keys(endpoint.query?.properties ?? {}));
    assert.ok(parameters.every((one) => one.in !== 'path' || one.required));
    for (const { name, description = '' } of parameters) assert.match(description, /\S/, `${place}: ${name}`);
    for (const one of parameters) assert.ok(one.in !== 'path' || one.example, `${place}: ${one.name}`);
  }
});

test('every tag is described', () => {
  for (const { name, description = '' } of document.tags) assert.match(description, /\S/, name);
});

test('every example is what its schema says, with nothing that the schema does not know', () => {
  for (const [name, { body, reply }] of Object.entries<{ body?: unknown; reply: unknown }>(examples)) {
    const endpoint = everyEndpoint.find((one) => one.name === name) ?? assert.fail(`there is no ${name}`);
    const sent = endpoint.body ?? endpoint.looseBody;
    const pairs = [[endpoint.reply, reply] as const, ...(sent ? [[sent, body] as const] : [])];
    for (const [schema, example] of pairs) {
      const shape = shapeOf(schema);
      assert.deepEqual(shape.complaints(example), [], name);
      assert.deepEqual(shape.clean(example), example, name);
    }
    if (endpoint.textBody) assert.equal(typeof body, 'string');
  }
});

test('an operation has a request body exactly where its endpoint reads one', () => {
  for (const { endpoint, place } of endpoints) {
    const { body, looseBody, textBody } = endpoint;
    assert.equal(operationAt(place).requestBody !== undefined, Boolean(body ?? looseBody ?? textBody), place);
  }
});

test('every reference leads to a schema', () => {
  const references = new Set(JSON.stringify(document).match(/"\$ref":"[^"]+"/g));
  assert.ok(references.size > 0);
  for (const reference of references) {
    const [, ...steps] = (JSON.parse(`{${reference}}`) as { $ref: string }).$ref.split('/');
    const found = steps.reduce<unknown>((value, step) => (value as Record<string, unknown>)?.[step], document);
    assert.ok(found, reference);
  }
});
