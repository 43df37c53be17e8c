/** Builds one OpenAPI 3.1 document from all endpoints. Pure: the same contract gives the same document. */

import type { TSchema } from 'typebox';
import { type ProblemCode, problems, sentenceOf } from '#domain/problems.ts';
import { accountResources, type Resource, resources, serviceResources } from './all.ts';
import { type Endpoint, needsNobody, problemsOf } from './endpoint.ts';
import { examples, parameters } from './examples/all.ts';
import { accountPrefix, ErrorBody, prefix, statusOf } from './parts.ts';

const all: readonly (Resource & { readonly base: string })[] = [
  ...Object.values(resources).map((resource) => ({ ...resource, base: prefix })),
  ...Object.values(accountResources).map((resource) => ({ ...resource, base: accountPrefix })),
  ...Object.values(serviceResources).map((resource) => ({ ...resource, base: '' })),
];

/** Defined once and referenced by name. */
const shared: Record<string, TSchema> = Object.assign({ Error: ErrorBody }, ...all.map(({ schemas }) => schemas));
const names = new Map<unknown, string>(Object.entries(shared).map(([name, schema]) => [schema, name]));

/** Replaces every shared schema in the value by a reference. */
function refer(value: unknown): unknown {
  const name = names.get(value);
  return name ? { $ref: `#/components/schemas/${name}` } : inside(value, refer);
}

function inside(value: unknown, change: (value: unknown) => unknown): unknown {
  if (Array.isArray(value)) return value.map(change);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, change(member)]));
}

export function toOpenApi(): object {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Burgee Admin API',
      version: 'v2',
      description:
        'Projects, environments, feature flags and their definitions, users, groups and keys. ' +
        'Send an admin key as `Authorization: Bearer <key>` or as `x-api-key: <key>`.',
      contact: { name: 'The operator of this server' },
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/', description: 'this server' }],
    security: [{ bearer: [] }, { apiKey: [] }],
    tags: all.map(({ title, description }) => ({ name: title, description })),
    paths: refer(toPaths()),
    components: {
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer' },
        apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key' },
      },
      headers: {
        Problem: {
          description: 'the code of the problem, explained in docs/problems.md',
          schema: { type: 'string', enum: Object.keys(problems).sort() },
        },
      },
      schemas: inside(shared, (schema) => inside(schema, refer)),
    },
  };
}

function toPaths(): Record<string, Record<string, object>> {
  const paths: Record<string, Record<string, object>> = {};
  for (const { title, base, endpoints } of all) {
    for (const [name, endpoint] of Object.entries(endpoints)) {
      const path = (endpoint.base ?? base) + endpoint.path.replaceAll(/\/:(\w+)/g, '/{$1}');
      paths[path] = { ...paths[path], [endpoint.method.toLowerCase()]: toOperation(title, name, endpoint) };
    }
  }
  return paths;
}

function toOperation(tag: string, name: string, endpoint: Endpoint): object {
  const { access, summary, description } = endpoint;
  const { body: sent, reply: answered } = examples[name as keyof typeof examples] as Example;
  const body = toRequestBody(endpoint, sent);
  return {
    operationId: name,
    tags: [tag],
    summary,
    description: [description, sentenceOfAccess(access)].filter(Boolean).join('\n\n'),
    ...(needsNobody(access) ? { security: [] } : {}),
    parameters: [...pathParameters(endpoint), ...queryParameters(endpoint), ...ifMatchParameters(endpoint)],
    ...(body ? { requestBody: body } : {}),
    responses: {
      200: { description: 'Done', content: toReply(endpoint, answered) },
      ...toErrors(problemsOf(endpoint)),
    },
  };
}

const scopeSentences = {
  account: 'account-wide keys only',
  project: 'not for keys restricted to environments',
  environment: 'keys of any scope',
};

function sentenceOfAccess(access: Endpoint['access']): string {
  if (needsNobody(access)) return 'No authentication.';
  if (access === 'signed-in') return 'Requires a session; API keys are not accepted.';
  return `Requires the permission \`${access.needs}\`; ${scopeSentences[access.scope]}.`;
}

interface Example {
  readonly body?: unknown;
  readonly reply?: unknown;
}

const json = (schema: TSchema | object, example?: unknown) => ({
  'application/json': { schema, ...(example === undefined ? {} : { example }) },
});

const toReply = ({ reply, media }: Endpoint, example: unknown): object =>
  media ? Object.fromEntries(media.map((type) => [type, { schema: reply }])) : json(reply, example);

const pathParameters = ({ path }: Endpoint): object[] =>
  [...path.matchAll(/\/:(\w+)/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
    ...parameters[name],
  }));

/** The description belongs beside the schema, where readers of OpenAPI documents look for it. */
const queryParameters = ({ query }: Endpoint): object[] =>
  Object.entries(query?.properties ?? {}).map(([name, property]) => {
    const { description, ...schema } = property as { description?: string };
    const required = ((query as { required?: readonly string[] }).required ?? []).includes(name);
    return { name, in: 'query', required, description, schema };
  });

const ifMatch = {
  name: 'If-Match',
  in: 'header',
  required: false,
  schema: { type: 'string' },
  description: 'an ETag: 412 if it no longer matches',
};
const ifMatchParameters = ({ problems: own }: Endpoint): object[] =>
  own.includes('precondition_failed') ? [ifMatch] : [];

function toRequestBody(
  { body, looseBody, textBody, mayBeForm, bodyIsOptional }: Endpoint,
  example: unknown,
): object | undefined {
  if (textBody) return { required: true, content: { 'text/plain': { schema: { type: 'string' }, example } } };
  const schema = body ?? looseBody;
  const content = schema && { ...json(schema, example), ...(mayBeForm ? { 'multipart/form-data': form } : {}) };
  return content && { required: bodyIsOptional !== true, content };
}

const form = {
  schema: {
    type: 'object',
    required: ['file'],
    properties: {
      file: { type: 'string', format: 'binary', description: 'a CSV file' },
      payload: { type: 'string', description: 'JSON with `title` and `comment`' },
    },
  },
};

const describe = (code: ProblemCode): string =>
  `\`${code}\`: ${sentenceOf(code)}${code === 'note_required' ? '. This one has an empty body' : ''}`;

/** One response per status, with the codes that cause it; `docs/problems.md` explains each. */
function toErrors(codes: readonly ProblemCode[]): Record<string, object> {
  const byStatus = Map.groupBy(codes, (code) => statusOf[problems[code].kind]);
  return Object.fromEntries(
    [...byStatus]
      .sort(([a], [b]) => a - b)
      .map(([status, all]) => [
        status,
        {
          description: all.map(describe).join('\n\n'),
          headers: { 'X-Burgee-Problem': { $ref: '#/components/headers/Problem' } },
          content: json(ErrorBody),
        },
      ]),
  );
}
