/** Every endpoint → one OpenAPI 3.1 document. Pure: the same contract always makes the same document. */

import type { TSchema } from 'typebox';
import { CreatedApiKey } from '#domain/api-keys.ts';
import { Change } from '#domain/changes.ts';
import { Definition, DefinitionBody } from '#domain/definitions.ts';
import { EnvironmentDetails, EnvironmentSummary } from '#domain/environments.ts';
import { DefinitionSummary, ExpandedDefinition, ExpandedFlag, ListedFlag } from '#domain/expansions.ts';
import { Flag } from '#domain/flags.ts';
import { Group } from '#domain/groups.ts';
import { Patch } from '#domain/json-patch.ts';
import { Matcher } from '#domain/matchers.ts';
import { type ProblemCode, problems, sentenceOf } from '#domain/problems.ts';
import { Project } from '#domain/projects.ts';
import { Restriction } from '#domain/restrictions.ts';
import { TrafficTypeReply } from '#domain/traffic-types.ts';
import { User } from '#domain/users.ts';
import { accountContract, contract, serviceContract } from './all.ts';
import { type Endpoint, needsNobody, problemsOf } from './endpoint.ts';
import { accountPrefix, ErrorBody, prefix, statusOf } from './parts.ts';

/** How each part of the contract is called where people read it. */
const titles: Record<keyof typeof contract, string> = {
  projects: 'Projects',
  environments: 'Environments',
  trafficTypes: 'Traffic types',
  rolloutStatuses: 'Rollout statuses',
  flags: 'Feature flags',
  definitions: 'Definitions',
  users: 'Users',
  groups: 'Groups',
  apiKeys: 'API keys',
  restrictions: 'Project access',
  changes: 'Audit log',
};

/** Schemas that stand in many places are written once. */
const shared = {
  Error: ErrorBody,
  Project,
  EnvironmentSummary,
  EnvironmentDetails,
  TrafficType: TrafficTypeReply,
  Flag,
  ListedFlag,
  ExpandedFlag,
  Definition,
  DefinitionSummary,
  ExpandedDefinition,
  DefinitionBody,
  Matcher,
  Patch,
  User,
  Group,
  CreatedApiKey,
  Restriction,
  Change,
};
const names = new Map<unknown, string>(Object.entries(shared).map(([name, schema]) => [schema, name]));

/** The value with every shared schema below it replaced by a reference. */
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
  const parts = Object.entries(contract).map(([part, endpoints]) => ({
    tag: titles[part as keyof typeof contract],
    base: prefix,
    endpoints: Object.entries<Endpoint>(endpoints),
  }));
  const all = [
    ...parts,
    { tag: 'Accounts', base: accountPrefix, endpoints: Object.entries<Endpoint>(accountContract.accounts) },
    { tag: 'Service', base: '', endpoints: Object.entries<Endpoint>(serviceContract.service) },
  ];
  return {
    openapi: '3.1.0',
    info: {
      title: 'Burgee Admin API',
      version: 'v2',
      description:
        'Projects, environments, feature flags and their definitions, users, groups and keys. ' +
        'Send an admin key as `Authorization: Bearer <key>` or as `x-api-key: <key>`.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/', description: 'this server' }],
    security: [{ bearer: [] }, { apiKey: [] }],
    tags: all.map(({ tag }) => ({ name: tag })),
    paths: refer(toPaths(all)),
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

interface Part {
  readonly tag: string;
  readonly base: string;
  readonly endpoints: readonly [name: string, endpoint: Endpoint][];
}

function toPaths(parts: readonly Part[]): Record<string, Record<string, object>> {
  const paths: Record<string, Record<string, object>> = {};
  for (const { tag, base, endpoints } of parts) {
    for (const [name, endpoint] of endpoints) {
      const path = base + endpoint.path.replaceAll(/:(\w+)/g, '{$1}');
      paths[path] = { ...paths[path], [endpoint.method.toLowerCase()]: toOperation(tag, name, endpoint) };
    }
  }
  return paths;
}

function toOperation(tag: string, name: string, endpoint: Endpoint): object {
  const { access, summary, description } = endpoint;
  const body = toRequestBody(endpoint);
  return {
    operationId: name,
    tags: [tag],
    summary,
    description: [description, sentenceOfAccess(access)].filter(Boolean).join('\n\n'),
    ...(needsNobody(access) ? { security: [] } : {}),
    parameters: [...pathParameters(endpoint), ...queryParameters(endpoint), ...ifMatchParameters(endpoint)],
    ...(body ? { requestBody: body } : {}),
    responses: { 200: { description: 'Done', content: json(endpoint.reply) }, ...toErrors(problemsOf(endpoint)) },
  };
}

const scopeSentences = {
  account: 'only keys of the whole account may use it',
  project: 'keys restricted to environments may not use it',
  environment: 'keys of any scope may use it',
};

function sentenceOfAccess(access: Endpoint['access']): string {
  if (needsNobody(access)) return 'Needs no key.';
  if (access === 'signed-in') return 'For people who are signed in; keys do not count.';
  return `Needs the permission \`${access.needs}\`; ${scopeSentences[access.scope]}.`;
}

const json = (schema: TSchema | object) => ({ 'application/json': { schema } });

const pathParameters = ({ path }: Endpoint): object[] =>
  [...path.matchAll(/:(\w+)/g)].map(([, name]) => ({ name, in: 'path', required: true, schema: { type: 'string' } }));

const queryParameters = ({ query }: Endpoint): object[] =>
  Object.entries(query?.properties ?? {}).map(([name, schema]) => ({
    name,
    in: 'query',
    required: ((query as { required?: readonly string[] }).required ?? []).includes(name),
    schema,
  }));

const ifMatch = {
  name: 'If-Match',
  in: 'header',
  required: false,
  schema: { type: 'string' },
  description: 'an ETag: 412 when it no longer holds',
};
const ifMatchParameters = ({ problems: own }: Endpoint): object[] =>
  own.includes('precondition_failed') ? [ifMatch] : [];

function toRequestBody({ body, looseBody, textBody, bodyIsOptional }: Endpoint): object | undefined {
  if (textBody) return { required: true, content: { 'text/plain': { schema: { type: 'string' } } } };
  const schema = body ?? looseBody;
  return schema && { required: bodyIsOptional !== true, content: json(schema) };
}

const describe = (code: ProblemCode): string =>
  `\`${code}\`: ${sentenceOf(code)}${code === 'note_required' ? '. This one has an empty body' : ''}`;

/** One response per status, with the codes that lead to it; `docs/problems.md` explains each. */
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
