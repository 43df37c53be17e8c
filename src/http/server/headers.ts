/** What every answer tells browsers. Pages and files say their own where they need others (`static.ts`, `documents.ts`). */

const aYearInSeconds = 31_536_000;

/**
 * For answers of the API, and for whatever says nothing else: data, to be neither run, framed, embedded by other sites nor
 * kept. Names are in lower case, as replies have them.
 */
export const safeHeaders = (publicUrl: string | undefined): Readonly<Record<string, string>> => ({
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  // Addresses of pages carry tokens, so no other site may learn them.
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  // Of this host alone: what the other hosts of the domain speak is not ours to decide.
  ...(publicUrl?.startsWith('https:') ? { 'strict-transport-security': `max-age=${aYearInSeconds}` } : {}),
});

/** Pages run our own scripts and styles and nothing else, talk to this server only, and are shown in no frame. */
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

/** The API viewer adds styles as it goes. */
export const policyOfDocuments = policyOfPages.replace("style-src 'self'", "style-src 'self' 'unsafe-inline'");
