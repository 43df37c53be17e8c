/** Hints for unknown paths: what Burgee lacks of the vendor's API, or the path that was probably meant. */
import { prefix } from '#contract/parts.ts';

/** Parts of the vendor's API that Burgee does not have. Remove the row when you build one. */
const notBuilt: readonly (readonly [path: RegExp, sentence: string])[] = [
  [/^\/internal\/api\/v2\/segments(\/|$)/, 'Burgee has no segments yet'],
  [/^\/internal\/api\/v2\/large-segments(\/|$)/, 'Burgee has no large segments yet'],
  [/^\/internal\/api\/v2\/rule-based-segments(\/|$)/, 'Burgee has no rule-based segments yet'],
  [/^\/internal\/api\/v2\/changeRequests(\/|$)/, 'Burgee has no change requests or approvals yet'],
  [/^\/internal\/api\/v2\/splits\/.+\/reallocate$/, 'Burgee cannot reallocate traffic yet'],
  [/^\/internal\/api\/v2\/splits\/.+\/(un)?archive$/, 'Burgee cannot archive flags yet'],
  [/^\/internal\/api\/v2\/metrics(\/|$)/, 'Burgee has no metrics yet'],
  [/^\/(internal\/)?api\/(v\d\/)?events(\/|$)/, 'Burgee does not take events yet'],
  [
    /^\/(internal\/)?api\/(v\d\/)?(splitChanges|segmentChanges|mySegments|memberships|auth|testImpressions|impressions|keys|metrics)(\/|$)/,
    'Burgee does not serve SDKs yet',
  ],
  [/^\/openapi\.ya?ml$/, 'The OpenAPI document is JSON: /openapi.json'],
  [/^\/internal\/api\/login$/, 'Burgee has no sign-in for programs; use an admin API key'],
  [/^\/fme\/api\/v4(\/|$)/, `Burgee has no Harness API v4; the Admin API is at ${prefix}`],
  [/^\/(ng|authz|resourcegroup)\/api(\/|$)/, `Burgee has no Harness platform API; the Admin API is at ${prefix}`],
];

/** Common synonyms of the words in our paths. */
const synonyms: Readonly<Record<string, string>> = {
  flags: 'splits',
  'feature-flags': 'splits',
  featureflags: 'splits',
  split: 'splits',
  flag: 'splits',
  projects: 'workspaces',
  project: 'workspaces',
  workspace: 'workspaces',
  environment: 'environments',
  user: 'users',
  group: 'groups',
  rolloutstatus: 'rolloutStatuses',
  traffictype: 'trafficTypes',
  apikey: 'apiKeys',
  auditlog: 'auditLogs',
  restriction: 'restrictions',
  'rollout-statuses': 'rolloutStatuses',
  'traffic-types': 'trafficTypes',
  'api-keys': 'apiKeys',
  keys: 'apiKeys',
  'audit-logs': 'auditLogs',
  changes: 'auditLogs',
};

/** Returns the hint for an unknown path. `known`: the paths without the prefix, with parameters as `:word`. */
export function pathHints(known: readonly string[]): (path: string) => string {
  const patterns = known.map((path) => path.split('/').slice(1));
  return (path) => {
    const missing = notBuilt.find(([pattern]) => pattern.test(path));
    if (missing) return missing[1];
    const words = path
      .replace(/^(\/internal)?(\/api)?(\/v\d+)?(?=\/)/, '')
      .split('/')
      .slice(1);
    // The `ws` before a project is often forgotten.
    const attempts = [words, [words[0] ?? '', 'ws', ...words.slice(1)]];
    const meant = attempts.flatMap((attempt) => patterns.flatMap((pattern) => readAs(pattern, attempt) ?? []))[0];
    return meant === undefined
      ? `The paths of the Admin API begin with ${prefix}; /docs lists them`
      : `Did you mean ${prefix}/${meant}?`;
  };
}

/** The words as a path of the pattern, if its fixed words match, ignoring case and synonyms. */
function readAs(pattern: readonly string[], words: readonly string[]): string | undefined {
  const fits =
    pattern.length === words.length &&
    pattern.every((fixed, index) => {
      const word = (words[index] ?? '').toLowerCase();
      return fixed.startsWith(':') ? word !== '' : fixed.toLowerCase() === word || synonyms[word] === fixed;
    });
  return fits ? pattern.map((fixed, index) => (fixed.startsWith(':') ? words[index] : fixed)).join('/') : undefined;
}
