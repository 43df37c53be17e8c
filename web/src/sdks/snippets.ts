/**
 * Code that checks a flag, for each SDK. Every URL of an SDK is set: one that is left out would call the vendor. Paths
 * differ, because some SDKs append `/api/v2/auth` or `/sse` and others take the whole URL; docs/sdks.md lists them.
 */

export const sdkIds = [
  'node',
  'browser',
  'react',
  'python',
  'go',
  'java',
  'ruby',
  'dotnet',
  'android',
  'ios',
  'openfeature',
  'curl',
] as const;
export type SdkId = (typeof sdkIds)[number];

interface Values {
  /** Where Burgee is, without a slash at the end. */
  readonly url: string;
  readonly key: string;
  readonly flag: string;
  /** The key of the person or thing that the flag is checked for. */
  readonly user: string;
  /**
   * A trial sends every answer within about a second, so that Getting started can show it, and checks the flag again
   * and again.
   */
  readonly isTrial: boolean;
}

export interface Sdk {
  readonly name: string;
  /** Two or three characters that stand for the language. */
  readonly mark: string;
  readonly keyType: 'server_side' | 'client_side';
  readonly install: string | undefined;
  /** Where the code goes and how to run it. */
  readonly file: string;
  readonly run: string | undefined;
  /** How long the SDK takes to report an answer in the trial form. Undefined: about a second. */
  readonly answersAfterSeconds?: number;
  readonly code: (values: Values) => string;
}

const debug = 'Sends every answer at once, so that Burgee can show it. Remove it later.';

/** Lines of the trial; nothing otherwise. */
const trial = ({ isTrial }: Values, lines: string): string => (isTrial ? `${lines}\n` : '');

const javascriptUrls = `  urls: {
    sdk: \`\${burgee}/api\`,
    events: \`\${burgee}/api\`,
    auth: \`\${burgee}/api\`,
    telemetry: \`\${burgee}/api\`,
    streaming: burgee,
  },`;

const javascriptTrial = (values: Values): string =>
  trial(
    values,
    `  // ${debug}
  sync: { impressionsMode: 'DEBUG' },
  scheduler: { impressionsRefreshRate: 1 },`,
  );

const node = (values: Values): string => `import { SplitFactory } from '@splitsoftware/splitio';

const burgee = '${values.url}';
const factory = SplitFactory({
  core: { authorizationKey: '${values.key}' },
${javascriptUrls}
${javascriptTrial(values)}});

const client = factory.client();
await client.ready();
${values.isTrial ? 'setInterval(() => {\n  ' : ''}console.log(client.getTreatment('${values.user}', '${values.flag}'));
${trial(values, '}, 1000);')}`;

const browser = (values: Values): string => `import { SplitFactory } from '@splitsoftware/splitio-browserjs';

const burgee = '${values.url}';
const factory = SplitFactory({
  core: { authorizationKey: '${values.key}', key: '${values.user}' },
${javascriptUrls}
${javascriptTrial(values)}});

const client = factory.client();
await client.ready();
const show = () => (document.body.textContent = client.getTreatment('${values.flag}'));
show();
client.on(client.Event.SDK_UPDATE, show);
`;

const react = (
  values: Values,
): string => `import { SplitFactoryProvider, useTreatment } from '@splitsoftware/splitio-react';

const burgee = '${values.url}';
const config = {
  core: { authorizationKey: '${values.key}', key: '${values.user}' },
${javascriptUrls}
${javascriptTrial(values)}};

function Answer() {
  const { treatment, isReady } = useTreatment({ name: '${values.flag}' });
  return <p>{isReady ? treatment : 'Loading…'}</p>;
}

export default function App() {
  return (
    <SplitFactoryProvider config={config}>
      <Answer />
    </SplitFactoryProvider>
  );
}
`;

const python = (values: Values): string => `${values.isTrial ? 'import time\n' : ''}from splitio import get_factory

burgee = '${values.url}'
factory = get_factory(
    '${values.key}',
    sdk_api_base_url=burgee + '/api',
    events_api_base_url=burgee + '/api',
    auth_api_base_url=burgee + '/api',
    telemetry_api_base_url=burgee + '/api',
    streaming_api_base_url=burgee,
${trial(
  values,
  `    # ${debug}
    config={'impressionsMode': 'DEBUG', 'impressionsRefreshRate': 1},`,
)})
factory.block_until_ready(5)

client = factory.client()
${
  values.isTrial
    ? `while True:
    print(client.get_treatment('${values.user}', '${values.flag}'))
    time.sleep(1)
`
    : `print(client.get_treatment('${values.user}', '${values.flag}'))
`
}`;

const go = (values: Values): string => `package main

import (
	"fmt"
	"log"
${trial(values, '\t"time"')}
	"github.com/splitio/go-client/v6/splitio/client"
	"github.com/splitio/go-client/v6/splitio/conf"
)

func main() {
	burgee := "${values.url}"
	cfg := conf.Default()
	cfg.Advanced.SdkURL = burgee + "/api"
	cfg.Advanced.EventsURL = burgee + "/api"
	cfg.Advanced.AuthServiceURL = burgee
	cfg.Advanced.StreamingServiceURL = burgee + "/sse"
	cfg.Advanced.TelemetryServiceURL = burgee + "/api/v1"
${trial(
  values,
  `	// ${debug}
	cfg.ImpressionsMode = "debug"
	cfg.TaskPeriods.ImpressionSync = 1`,
)}
	factory, err := client.NewSplitFactory("${values.key}", cfg)
	if err != nil {
		log.Fatal(err)
	}
	flags := factory.Client()
	if err := flags.BlockUntilReady(10); err != nil {
		log.Fatal(err)
	}
${
  values.isTrial
    ? `	for range time.Tick(time.Second) {
		fmt.Println(flags.Treatment("${values.user}", "${values.flag}", nil))
	}
`
    : `	fmt.Println(flags.Treatment("${values.user}", "${values.flag}", nil))
`
}}
`;

const java = (values: Values): string => `import io.split.client.SplitClient;
import io.split.client.SplitClientConfig;
import io.split.client.SplitFactoryBuilder;
${trial(values, 'import io.split.client.impressions.ImpressionsManager;')}
public class App {
  public static void main(String[] args) throws Exception {
    String burgee = "${values.url}";
    SplitClientConfig config = SplitClientConfig.builder()
        .endpoint(burgee, burgee)
        .authServiceURL(burgee + "/api/v2/auth")
        .streamingServiceURL(burgee + "/sse")
        .telemetryURL(burgee + "/api/v1")
        .setBlockUntilReadyTimeout(10000)
${trial(
  values,
  `        // ${debug}
        .impressionsMode(ImpressionsManager.Mode.DEBUG)
        .impressionsRefreshRate(1)`,
)}        .build();

    SplitClient client = SplitFactoryBuilder.build("${values.key}", config).client();
    client.blockUntilReady();
${
  values.isTrial
    ? `    while (true) {
      System.out.println(client.getTreatment("${values.user}", "${values.flag}"));
      Thread.sleep(1000);
    }
`
    : `    System.out.println(client.getTreatment("${values.user}", "${values.flag}"));
`
}  }
}
`;

const ruby = (values: Values): string => `require 'splitclient-rb'

burgee = '${values.url}'
factory = SplitIoClient::SplitFactory.new(
  '${values.key}',
  base_uri: "#{burgee}/api",
  events_uri: "#{burgee}/api",
  auth_service_url: "#{burgee}/api/v2/auth",
  streaming_service_url: "#{burgee}/event-stream",
  telemetry_service_url: "#{burgee}/api/v1",
${trial(
  values,
  `  # ${debug}
  impressions_mode: :debug,
  impressions_refresh_rate: 1,`,
)})

client = factory.client
client.block_until_ready
${
  values.isTrial
    ? `loop do
  puts client.get_treatment('${values.user}', '${values.flag}')
  sleep 1
end
`
    : `puts client.get_treatment('${values.user}', '${values.flag}')
`
}`;

const dotnet = (values: Values): string => `using Splitio.Domain;
using Splitio.Services.Client.Classes;

var burgee = "${values.url}";
var factory = new SplitFactory("${values.key}", new ConfigurationOptions
{
    Endpoint = burgee,
    EventsEndpoint = burgee,
    AuthServiceURL = burgee + "/api/v2/auth",
    StreamingServiceURL = burgee + "/sse",
    TelemetryServiceURL = burgee + "/api/v1",
${trial(
  values,
  `    // ${debug}
    ImpressionsMode = ImpressionsMode.Debug,
    ImpressionsRefreshRate = 1,`,
)}});

var client = factory.Client();
client.BlockUntilReady(10000);
${
  values.isTrial
    ? `while (true)
{
    Console.WriteLine(client.GetTreatment("${values.user}", "${values.flag}"));
    Thread.Sleep(1000);
}
`
    : `Console.WriteLine(client.GetTreatment("${values.user}", "${values.flag}"));
`
}`;

const android = (values: Values): string => `import io.split.android.client.*
import io.split.android.client.api.Key
import io.split.android.client.events.SplitEvent
import io.split.android.client.events.SplitEventTask
${trial(values, 'import io.split.android.client.service.impressions.ImpressionsMode')}
val burgee = "${values.url}"
val endpoints = ServiceEndpoints.builder()
    .apiEndpoint("$burgee/api")
    .eventsEndpoint("$burgee/api")
    .sseAuthServiceEndpoint("$burgee/api/v2")
    .streamingServiceEndpoint("$burgee/sse")
    .telemetryServiceEndpoint("$burgee/api/v1")
    .build()
val config = SplitClientConfig.builder()
    .serviceEndpoints(endpoints)
${trial(
  values,
  `    // Sends every answer after 30 seconds, the SDK's minimum, so that Burgee can show it. Remove it later.
    .impressionsMode(ImpressionsMode.DEBUG)
    .impressionsRefreshRate(30)`,
)}    .build()

val factory = SplitFactoryBuilder.build("${values.key}", Key("${values.user}"), config, applicationContext)
val client = factory.client()
val show = object : SplitEventTask() {
    override fun onPostExecution(client: SplitClient) {
        println(client.getTreatment("${values.flag}"))
    }
}
client.on(SplitEvent.SDK_READY, show)
client.on(SplitEvent.SDK_UPDATE, show)
`;

const ios = (values: Values): string => `import Split

let burgee = "${values.url}"
let config = SplitClientConfig()
config.serviceEndpoints = ServiceEndpoints.builder()
    .set(sdkEndpoint: "\\(burgee)/api")
    .set(eventsEndpoint: "\\(burgee)/api")
    .set(authServiceEndpoint: "\\(burgee)/api/v2")
    .set(streamingServiceEndpoint: "\\(burgee)/sse")
    .set(telemetryServiceEndpoint: "\\(burgee)/api/v1")
    .build()
${trial(
  values,
  `// ${debug}
config.impressionsMode = "DEBUG"
config.impressionRefreshRate = 1`,
)}
let factory = DefaultSplitFactoryBuilder()
    .setApiKey("${values.key}")
    .setKey(Key(matchingKey: "${values.user}"))
    .setConfig(config)
    .build()
let client = factory?.client
func show() {
    print(client?.getTreatment("${values.flag}") ?? "control")
}
client?.on(event: .sdkReady) { show() }
client?.on(event: .sdkUpdated) { show() }
`;

/** Flags whose treatments mean on and off are booleans there; others are strings. */
const openfeature = (values: Values): string => `import { OpenFeature } from '@openfeature/server-sdk';
import { OFREPProvider } from '@openfeature/ofrep-provider';

const provider = new OFREPProvider({
  baseUrl: '${values.url}',
  headers: [['Authorization', 'Bearer ${values.key}']],
});
await OpenFeature.setProviderAndWait(provider);

const client = OpenFeature.getClient();
const context = { targetingKey: '${values.user}' };
${values.isTrial ? 'setInterval(async () => {\n  ' : ''}console.log(await client.getBooleanValue('${values.flag}', false, context));
${trial(values, '}, 1000);')}`;

const curl = ({
  url,
  key,
  flag,
  user,
}: Values): string => `curl --request POST ${url}/ofrep/v1/evaluate/flags/${flag} \\
  --header 'Authorization: Bearer ${key}' \\
  --header 'Content-Type: application/json' \\
  --data '{"context": {"targetingKey": "${user}"}}'
`;

export const sdks: Readonly<Record<SdkId, Sdk>> = {
  node: {
    name: 'Node',
    mark: 'js',
    keyType: 'server_side',
    install: 'npm install @splitsoftware/splitio',
    file: 'app.mjs',
    run: 'node app.mjs',
    code: node,
  },
  browser: {
    name: 'Browser',
    mark: '<>',
    keyType: 'client_side',
    install: 'npm install @splitsoftware/splitio-browserjs',
    file: 'main.js',
    run: undefined,
    code: browser,
  },
  react: {
    name: 'React',
    mark: 'rx',
    keyType: 'client_side',
    install: 'npm install @splitsoftware/splitio-react',
    file: 'App.jsx',
    run: undefined,
    code: react,
  },
  python: {
    name: 'Python',
    mark: 'py',
    keyType: 'server_side',
    install: 'pip install splitio_client',
    file: 'app.py',
    run: 'python app.py',
    code: python,
  },
  go: {
    name: 'Go',
    mark: 'go',
    keyType: 'server_side',
    install: 'go get github.com/splitio/go-client/v6',
    file: 'main.go',
    run: 'go run .',
    code: go,
  },
  java: {
    name: 'Java',
    mark: 'jv',
    keyType: 'server_side',
    install: "implementation 'io.split.client:java-client:4.+'",
    file: 'App.java',
    run: undefined,
    code: java,
  },
  ruby: {
    name: 'Ruby',
    mark: 'rb',
    keyType: 'server_side',
    install: 'gem install splitclient-rb',
    file: 'app.rb',
    run: 'ruby app.rb',
    code: ruby,
  },
  dotnet: {
    name: '.NET',
    mark: 'c#',
    keyType: 'server_side',
    install: 'dotnet add package Splitio',
    file: 'Program.cs',
    run: 'dotnet run',
    code: dotnet,
  },
  android: {
    name: 'Android',
    mark: 'kt',
    keyType: 'client_side',
    install: "implementation 'io.split.client:android-client:5.+'",
    file: 'MainActivity.kt',
    run: undefined,
    answersAfterSeconds: 30,
    code: android,
  },
  ios: {
    name: 'iOS',
    mark: 'sw',
    keyType: 'client_side',
    install: 'https://github.com/splitio/ios-client',
    file: 'AppDelegate.swift',
    run: undefined,
    code: ios,
  },
  openfeature: {
    name: 'OpenFeature',
    mark: 'of',
    keyType: 'server_side',
    install: 'npm install @openfeature/server-sdk @openfeature/ofrep-provider',
    file: 'app.mjs',
    run: 'node app.mjs',
    code: openfeature,
  },
  curl: {
    name: 'curl',
    mark: '$',
    keyType: 'server_side',
    install: undefined,
    file: 'a terminal',
    run: undefined,
    code: curl,
  },
};

/** The SDKs that take a key of this type. */
export const sdksFor = (keyType: 'server_side' | 'client_side'): SdkId[] =>
  sdkIds.filter((id) => sdks[id].keyType === keyType);
