/** Hints for unknown paths: what Burgee lacks of the vendor's API, or the path that was probably meant. */
import { prefix } from '#contract/parts.ts';

type Rows = readonly (readonly [path: RegExp, sentence: string])[];

/** Parts of the vendor's API that are planned. Remove the row when you build one. */
const planned: Rows = [[/^\/internal\/api\/v2\/splits\/.+\/reallocate$/, 'Burgee cannot reallocate traffic yet']];

/** Of paths that look like those of SDKs. */
const sdkUrls = 'No SDK asks for this path: check its URLs against docs/sdks.md';

const adminApi = `the Admin API is at ${prefix}`;

/** Parts of the vendor's products that Burgee will not have. */
const outOfScope: Rows = [
  [
    /^\/internal\/api(\/v\d)?\/log(in|out)$/,
    'Not part of Burgee: programs do not sign in; send an admin API key with each request',
  ],
  [
    /^\/internal\/api\/(v\d\/)?(metrics|metricDefinitions|experiments|alertPolicies|eventTypes)(\/|$)/,
    'Not part of Burgee: metrics and experiments. It manages flags; measure their effect in your own analytics',
  ],
  [
    /^(\/internal\/api\/(v\d\/)?events(\/|$)|\/api\/events$)/,
    'Not part of Burgee: single events. SDKs send events with an SDK key, to /api/events/bulk',
  ],
  [
    /^(\/api)*(\/v\d)?\/(splitChanges|segmentChanges|mySegments|memberships|auth|testImpressions|events|sse|event-stream)(\/|$)/,
    sdkUrls,
  ],
  [/^\/fme\/api(\/|$)/, `Not part of Burgee: the Harness FME API; ${adminApi}`],
  [/^\/(gateway\/)?(ng|authz|resourcegroup)\/api(\/|$)/, `Not part of Burgee: the Harness platform API; ${adminApi}`],
  [/^\/openapi\.ya?ml$/, 'The OpenAPI document is JSON: /openapi.json'],
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
    const missing = [...planned, ...outOfScope].find(([pattern]) => pattern.test(path));
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
