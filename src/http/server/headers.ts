/** Security headers of every response. Pages and files override some of them (`static.ts`, `documents.ts`). */

const aYearInSeconds = 31_536_000;

/**
 * The default: API responses are data that must not be executed, framed, embedded by other sites or cached. Names are in
 * lower case, as in replies.
 */
export const safeHeaders = (publicUrl: string | undefined): Readonly<Record<string, string>> => ({
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  // Page addresses contain tokens, so they must not be sent to other sites.
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  // For this host only: other hosts of the domain are not ours to decide about.
  ...(publicUrl?.startsWith('https:') ? { 'strict-transport-security': `max-age=${aYearInSeconds}` } : {}),
});

/** Pages run only our scripts and styles, connect only to this server, and cannot be framed. */
export const policyOfPages = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** The API viewer adds inline styles. */
export const policyOfDocuments = policyOfPages.replace("style-src 'self'", "style-src 'self' 'unsafe-inline'");
