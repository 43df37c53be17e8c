/**
 * The token of a stream: a JWT that `/api/v2/auth` hands out and `/sse` takes. Every node of an installation accepts
 * the tokens of the others. SDKs read its claims and pass it on; only Burgee verifies it.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { type Spec, specs } from '#domain/wire/flags.ts';
import { channelsOf } from './messages.ts';

/** SDKs ask for the next one ten minutes before the end, so it must be well above that. The vendor's value. */
const tokenSeconds = 3_600;

/** The SDK that opens a stream, and the spec that it understands. */
export interface Subscriber {
  readonly keyId: string;
  readonly type: 'server_side' | 'client_side';
  readonly environmentId: string;
  readonly spec: Spec;
}

export interface Verified extends Subscriber {
  /** In milliseconds. */
  readonly expiresAt: number;
}

export interface Tokens {
  issue(subscriber: Subscriber, now: number): string;
  /** Undefined for a token that is not ours, was changed, or has expired. */
  verify(token: string, now: number): Verified | undefined;
}

/** A longer token is not ours. */
const maxLength = 2_000;
const header = encode({ alg: 'HS256', typ: 'JWT' });

/** What tokens are made with: not the account's own secret, because nodes may keep this on their disks. */
export interface TokenSecrets {
  readonly accountId: string;
  readonly key: Uint8Array;
}

export const tokenSecretsOf = ({ id, markerSecret }: { id: string; markerSecret: string }): TokenSecrets => ({
  accountId: id,
  key: createHmac('sha256', markerSecret).update('stream token').digest(),
});

export function createTokens({ accountId, key }: TokenSecrets): Tokens {
  const sign = (text: string): Buffer => createHmac('sha256', key).update(text).digest();
  return {
    issue: ({ keyId, type, environmentId, spec }, now) => {
      const iat = Math.floor(now / 1_000);
      // Java and Python decode this as plain base64. It is the same in base64url unless there is one of ~ ? > or a
      // character beyond ASCII in it, so none of these claims may come from outside.
      const claims = encode({
        orgId: accountId,
        envId: environmentId,
        sub: keyId,
        type,
        spec,
        'x-ably-clientId': 'clientId',
        'x-ably-capability': JSON.stringify(channelsOf(environmentId, type)),
        iat,
        exp: iat + tokenSeconds,
      });
      return `${header}.${claims}.${sign(`${header}.${claims}`).toString('base64url')}`;
    },
    verify: (token, now) => {
      const [first, claims, signature, ...more] = token.length > maxLength ? [] : token.split('.');
      // The header is compared whole, so no token chooses its own algorithm.
      if (first !== header || !claims || !signature || more.length > 0) return undefined;
      const given = Buffer.from(signature, 'base64url');
      const expected = sign(`${header}.${claims}`);
      if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
      const { sub, type, envId, spec, exp } = JSON.parse(Buffer.from(claims, 'base64url').toString());
      const expiresAt = exp * 1_000;
      // A later release may know more specs.
      if (expiresAt <= now || !specs.includes(spec)) return undefined;
      return { keyId: sub, type, environmentId: envId, spec, expiresAt };
    },
  };
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
