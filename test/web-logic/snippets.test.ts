/** The code that the interface and docs/sdks.md show for each SDK. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { type SdkId, sdkIds, sdks, sdksFor } from '../../web/src/sdks/snippets.ts';

const values = { url: 'https://flags.example.com', key: 'YOUR_SDK_KEY', flag: 'checkout_one_page', user: 'user-4717' };
const production = (id: SdkId): string => sdks[id].code({ ...values, isTrial: false });
const trial = (id: SdkId): string => sdks[id].code({ ...values, isTrial: true });

const javascript = ['sdk', 'events', 'auth', 'telemetry']
  .map((name) => `    ${name}: \`\${burgee}/api\`,\n`)
  .concat('    streaming: burgee,\n');

/** The five URLs of each SDK as its sources read them, written a second time. */
const urls: Readonly<Record<SdkId, readonly string[]>> = {
  node: javascript,
  browser: javascript,
  react: javascript,
  python: [
    "sdk_api_base_url=burgee + '/api'",
    "events_api_base_url=burgee + '/api'",
    "auth_api_base_url=burgee + '/api'",
    "telemetry_api_base_url=burgee + '/api'",
    'streaming_api_base_url=burgee,',
  ],
  go: [
    'Advanced.SdkURL = burgee + "/api"\n',
    'Advanced.EventsURL = burgee + "/api"\n',
    'Advanced.AuthServiceURL = burgee\n',
    'Advanced.StreamingServiceURL = burgee + "/sse"',
    'Advanced.TelemetryServiceURL = burgee + "/api/v1"',
  ],
  java: [
    '.endpoint(burgee, burgee)',
    '.authServiceURL(burgee + "/api/v2/auth")',
    '.streamingServiceURL(burgee + "/sse")',
    '.telemetryURL(burgee + "/api/v1")',
  ],
  ruby: [
    'base_uri: "#{burgee}/api"',
    'events_uri: "#{burgee}/api"',
    'auth_service_url: "#{burgee}/api/v2/auth"',
    'streaming_service_url: "#{burgee}/event-stream"',
    'telemetry_service_url: "#{burgee}/api/v1"',
  ],
  dotnet: [
    ' Endpoint = burgee,',
    'EventsEndpoint = burgee,',
    'AuthServiceURL = burgee + "/api/v2/auth"',
    'StreamingServiceURL = burgee + "/sse"',
    'TelemetryServiceURL = burgee + "/api/v1"',
  ],
  android: [
    'apiEndpoint("$burgee/api")',
    'eventsEndpoint("$burgee/api")',
    'sseAuthServiceEndpoint("$burgee/api/v2")',
    'streamingServiceEndpoint("$burgee/sse")',
    'telemetryServiceEndpoint("$burgee/api/v1")',
  ],
  ios: [
    'set(sdkEndpoint: "\\(burgee)/api")',
    'set(eventsEndpoint: "\\(burgee)/api")',
    'set(authServiceEndpoint: "\\(burgee)/api/v2")',
    'set(streamingServiceEndpoint: "\\(burgee)/sse")',
    'set(telemetryServiceEndpoint: "\\(burgee)/api/v1")',
  ],
  openfeature: ["baseUrl: 'https://flags.example.com'"],
  curl: ['https://flags.example.com/ofrep/v1/evaluate/flags/checkout_one_page'],
};

for (const id of sdkIds) {
  test(`${sdks[id].name}: every URL is set, and the key, flag and user are where they belong`, () => {
    for (const code of [production(id), trial(id)]) {
      for (const setting of urls[id]) assert.ok(code.includes(setting), `${setting} is missing:\n${code}`);
      for (const value of Object.values(values)) assert.ok(code.includes(value), `${value} is missing`);
      assert.doesNotMatch(code, /https?:\/\/[^'"]*split\.io|undefined|\n\n\n/);
    }
  });

  test(`${sdks[id].name}: docs/sdks.md shows the same code`, () => {
    const text = readFileSync(new URL('../../docs/sdks.md', import.meta.url), 'utf8');
    assert.ok(text.includes(`\n${production(id)}\`\`\`\n`), `docs/sdks.md needs:\n${production(id)}`);
  });
}

test('a trial sends every answer soon, and says that this is to be removed; production does not', () => {
  for (const id of sdkIds.filter((one) => one !== 'curl' && one !== 'openfeature')) {
    assert.match(trial(id), /impressions_?mode\W+(ImpressionsMode\.|ImpressionsManager\.Mode\.)?debug/i, id);
    assert.match(trial(id), /(refresh_?rate|ImpressionSync)\W+(1|30)\b/i, id);
    assert.match(trial(id), /(#|\/\/) Sends every answer .* Remove it later\./, id);
    assert.doesNotMatch(production(id), /debug|refresh_?rate|Remove/i, id);
  }
});

test('SDKs that run where everybody can read them take client-side keys', () => {
  assert.deepEqual(sdksFor('client_side'), ['browser', 'react', 'android', 'ios']);
  assert.deepEqual(sdksFor('server_side').length, sdkIds.length - 4);
});
