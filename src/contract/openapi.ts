/** Every endpoint → one OpenAPI 3.1 document. Pure: the same contract always makes the same document. */

import type { TSchema } from 'typebox';
import { CreatedApiKey } from '#domain/api-keys.ts';
import { Change } from '#domain/changes.ts';
import { Definition, DefinitionBody } from '#domain/definitions/definition.ts';
import { Matcher } from '#domain/definitions/matchers.ts';
import { DefinitionSummary, ExpandedDefinition, ExpandedFlag, ListedFlag } from '#domain/definitions/summary.ts';
import { EnvironmentDetails, EnvironmentSummary } from '#domain/environments.ts';
import { Flag } from '#domain/flags.ts';
import { Group } from '#domain/groups.ts';
import { Patch } from '#domain/json-patch.ts';
import { type ProblemCode, problems, sentenceOf } from '#domain/problems.ts';
import { Project } from '#domain/projects.ts';
import { Restriction } from '#domain/restrictions.ts';
import { TrafficTypeReply } from '#domain/traffic-types.ts';
import { User } from '#domain/users.ts';
import { accountContract, contract, serviceContract } from './all.ts';
import { type Endpoint, needsNobody, problemsOf } from './endpoint.ts';
import { examples, parameters } from './examples.ts';
import { accountPrefix, ErrorBody, prefix, statusOf } from './parts.ts';

interface Tag {
  readonly name: string;
  readonly description: string;
}

/** What each part of the contract is called where people read it. */
const tags: Record<keyof typeof contract, Tag> = {
  projects: {
    name: 'Projects',
    description: 'A project has its own environments, traffic types and feature flags. Paths call it `ws`.',
  },
  environments: {
    name: 'Environments',
    description:
      'Where flags are served, for example staging and production. Each has its own definitions and SDK keys.',
  },
  trafficTypes: { name: 'Traffic types', description: 'Whom a flag tells apart: users, accounts, devices.' },
  rolloutStatuses: {
    name: 'Rollout statuses',
    description: 'How far the rollout of a flag is, from the start to its end.',
  },
  flags: {
    name: 'Feature flags',
    description:
      'A flag’s name, description, tags and rollout status. What it serves is its definition in an environment.',
  },
  definitions: {
    name: 'Definitions',
    description:
      'What a flag serves in one environment: treatments, targeted keys, rules and shares; kill and restore.',
  },
  users: { name: 'Users', description: 'People, who are invited by e-mail.' },
  groups: { name: 'Groups', description: 'Groups of users. Members of Administrators may do everything.' },
  apiKeys: {
    name: 'API keys',
    description: 'Keys for this API (`admin`) and for SDKs (`server_side`, `client_side`).',
  },
  restrictions: { name: 'Project access', description: 'Who may see a project.' },
  changes: { name: 'Audit log', description: 'Who changed what, when and why.' },
  rollouts: { name: 'Rollouts', description: 'How the shares of a definition changed over time.' },
};
const accountsTag: Tag = {
  name: 'Accounts',
  description: 'How people sign in: invitations, sessions, passwords and the second factor.',
};
const serviceTag: Tag = { name: 'Service', description: 'Probes for load balancers and monitoring.' };

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
    tag: tags[part as keyof typeof contract],
    base: prefix,
    endpoints: Object.entries<Endpoint>(endpoints),
  }));
  const all = [
    ...parts,
    { tag: accountsTag, base: accountPrefix, endpoints: Object.entries<Endpoint>(accountContract.accounts) },
    { tag: serviceTag, base: '', endpoints: Object.entries<Endpoint>(serviceContract.service) },
  ];
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
    tags: all.map(({ tag }) => tag),
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
  readonly tag: Tag;
  readonly base: string;
  readonly endpoints: readonly [name: string, endpoint: Endpoint][];
}

function toPaths(parts: readonly Part[]): Record<string, Record<string, object>> {
  const paths: Record<string, Record<string, object>> = {};
  for (const { tag, base, endpoints } of parts) {
    for (const [name, endpoint] of endpoints) {
      const path = base + endpoint.path.replaceAll(/:(\w+)/g, '{$1}');
      paths[path] = { ...paths[path], [endpoint.method.toLowerCase()]: toOperation(tag.name, name, endpoint) };
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
      200: { description: 'Done', content: json(endpoint.reply, answered) },
      ...toErrors(problemsOf(endpoint)),
    },
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

interface Example {
  readonly body?: unknown;
  readonly reply?: unknown;
}

const json = (schema: TSchema | object, example?: unknown) => ({
  'application/json': { schema, ...(example === undefined ? {} : { example }) },
});

const pathParameters = ({ path }: Endpoint): object[] =>
  [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => ({
    ...{ name, in: 'path', required: true, schema: { type: 'string' } },
    ...parameters[name],
  }));

/** The description stands beside the schema, where every reader of such documents looks for it. */
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
  description: 'an ETag: 412 when it no longer holds',
};
const ifMatchParameters = ({ problems: own }: Endpoint): object[] =>
  own.includes('precondition_failed') ? [ifMatch] : [];

function toRequestBody({ body, looseBody, textBody, bodyIsOptional }: Endpoint, example: unknown): object | undefined {
  if (textBody) return { required: true, content: { 'text/plain': { schema: { type: 'string' }, example } } };
  const schema = body ?? looseBody;
  return schema && { required: bodyIsOptional !== true, content: json(schema, example) };
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
