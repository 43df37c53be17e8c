/** Real nodes on one database, and their clients. */
import { prefix } from '#contract/parts.ts';
import type { Answer } from './app.ts';
import type { Installation, Server } from './process.ts';

export const adminKey = 'a-key-for-the-tests-of-several-nodes';
/** Where people reach the nodes. There is no load balancer, but pages have this origin. */
export const publicUrl = 'http://flags.example';

export interface Asked {
  /** Null: without a key. */
  readonly as?: string | null;
  readonly body?: unknown;
  /** Of a session; sent as a page of ours does. */
  readonly cookie?: string;
}

/** Asks one node, over the network, as a client does. */
export interface Client {
  readonly node: Server;
  ask(method: string, path: string, asked?: Asked): Promise<Answer>;
  get(path: string): Promise<Answer>;
  post(path: string, body?: unknown): Promise<Answer>;
  patch(path: string, body: unknown): Promise<Answer>;
  delete(path: string): Promise<Answer>;
}

export const startNode = async (burgee: Installation, variables: Record<string, string> = {}): Promise<Client> =>
  clientOf(await burgee.start({ BURGEE_ADMIN_API_KEY: adminKey, PUBLIC_URL: publicUrl, ...variables }));

/** One after the other: the first makes the schema and the key. */
export async function startTwoNodes(
  burgee: Installation,
  variables: Record<string, string> = {},
): Promise<[one: Client, other: Client]> {
  return [await startNode(burgee, variables), await startNode(burgee, variables)];
}

function clientOf(node: Server): Client {
  const ask = async (method: string, path: string, { as = adminKey, body, cookie }: Asked = {}): Promise<Answer> => {
    const reply = await fetch(node.url + (path.startsWith('/internal') ? path : prefix + path), {
      method,
      headers: {
        ...(as === null ? {} : { authorization: `Bearer ${as}` }),
        ...(cookie === undefined ? {} : { cookie }),
        ...(as === null ? { origin: publicUrl } : {}),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await reply.text();
    return { status: reply.status, body: parsed(text), text, headers: Object.fromEntries(reply.headers) };
  };
  return {
    node,
    ask,
    get: (path) => ask('GET', path),
    post: (path, body) => ask('POST', path, { body }),
    patch: (path, body) => ask('PATCH', path, { body }),
    delete: (path) => ask('DELETE', path),
  };
}

const parsed = (text: string): unknown => (text === '' ? undefined : JSON.parse(text));
