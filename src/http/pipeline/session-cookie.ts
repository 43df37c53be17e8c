import type { FastifyReply, FastifyRequest } from 'fastify';
import { sessionLifeMs } from '#domain/accounts.ts';

/** How a handler starts and ends the session of the browser that asks. */
export interface SessionCookie {
  start(token: string): void;
  end(): void;
}

export const sessionTokenOf = (request: FastifyRequest, publicUrl: string | undefined): string | undefined =>
  request.cookies[nameOf(isSecure(request, publicUrl))];

export function sessionCookie(reply: FastifyReply, publicUrl: string | undefined): SessionCookie {
  const secure = isSecure(reply.request, publicUrl);
  const options = { path: '/', httpOnly: true, sameSite: 'lax', secure } as const;
  const name = nameOf(secure);
  return {
    start: (token) => void reply.setCookie(name, token, { ...options, maxAge: sessionLifeMs / 1000 }),
    end: () => void reply.clearCookie(name, options),
  };
}

/** Whether people come by TLS: the operator says so, or a trusted proxy does. */
const isSecure = ({ protocol }: FastifyRequest, publicUrl: string | undefined): boolean =>
  publicUrl?.startsWith('https:') || protocol === 'https';

/**
 * With TLS only the prefixed name counts: browsers let no other host of the domain set it. To go on reading the plain one
 * there, for sessions from before an upgrade, would open that door again.
 */
const nameOf = (secure: boolean): string => (secure ? '__Host-burgee_session' : 'burgee_session');
