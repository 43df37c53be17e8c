import type { FastifyReply, FastifyRequest } from 'fastify';
import { maxSessionDays } from '#domain/server.ts';

/** Starts and ends the session of the requesting browser. */
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
    start: (token) => void reply.setCookie(name, token, { ...options, maxAge: maxSessionDays * 86_400 }),
    end: () => void reply.clearCookie(name, options),
  };
}

/** Whether users connect by TLS, according to PUBLIC_URL or a trusted proxy. */
const isSecure = ({ protocol }: FastifyRequest, publicUrl: string | undefined): boolean =>
  publicUrl?.startsWith('https:') || protocol === 'https';

/**
 * With TLS, only the prefixed name is read: browsers let no other host of the domain set it. Reading the plain name
 * too, for sessions from before an upgrade, would undo that protection.
 */
const nameOf = (secure: boolean): string => (secure ? '__Host-burgee_session' : 'burgee_session');
