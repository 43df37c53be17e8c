/** A request whose body is on its way while something else happens. */
import { once } from 'node:events';
import { request } from 'node:http';

export interface SlowRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** Sends the head of a request, lets `meanwhile` happen once the server has it, then sends the body. */
export async function slowRequest(
  url: string,
  { method, headers, body }: SlowRequest,
  meanwhile: () => Promise<unknown>,
): Promise<{ status: number; text: string }> {
  const text = JSON.stringify(body);
  const length = { 'content-length': String(Buffer.byteLength(text)), expect: '100-continue' };
  const asking = request(url, { method, headers: { ...headers, ...length } });
  asking.flushHeaders();
  await once(asking, 'continue');
  await meanwhile();
  asking.end(text);
  const [answer] = await once(asking, 'response');
  const parts: Buffer[] = [];
  for await (const part of answer) parts.push(part);
  return { status: answer.statusCode as number, text: Buffer.concat(parts).toString() };
}
