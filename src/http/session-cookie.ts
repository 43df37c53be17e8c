import type { FastifyReply, FastifyRequest } from 'fastify';
import { sessionLifeMs } from '#domain/accounts.ts';

const name = 'burgee_session';

/** How a handler starts and ends the session of the browser that asks. */
export interface SessionCookie {
  start(token: string): void;
  end(): void;
}

export const sessionTokenOf = (request: FastifyRequest): string | undefined => request.cookies[name];

export function sessionCookie(reply: FastifyReply, publicUrl: string | undefined): SessionCookie {
  const options = {
    path: '/',
    httpOnly: true,
    sameSite: 'lax',
    secure: publicUrl?.startsWith('https:') ?? false,
  } as const;
  return {
    start: (token) => void reply.setCookie(name, token, { ...options, maxAge: sessionLifeMs / 1000 }),
    end: () => void reply.clearCookie(name, options),
  };
}
