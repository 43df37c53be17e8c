/** Runs in a page of another origin: shows what the SDKs for browsers and for React say of a flag. */
import { SplitFactory } from '@splitsoftware/splitio-browserjs';
import { SplitFactoryProvider, useTreatment } from '@splitsoftware/splitio-react';
import { createRoot } from 'react-dom/client';

const { base, authorizationKey, flag, key } = Object.fromEntries(new URLSearchParams(location.search)) as Record<
  'base' | 'authorizationKey' | 'flag' | 'key',
  string
>;
const settings = {
  core: { authorizationKey, key },
  urls: { sdk: `${base}/api`, events: `${base}/api`, auth: `${base}/api`, streaming: base, telemetry: `${base}/api` },
  // Long, so that what arrives came by the stream.
  scheduler: { featuresRefreshRate: 3_600, segmentsRefreshRate: 3_600 },
};

const shown = document.body.appendChild(document.createElement('p'));
const client = SplitFactory(settings).client();
const show = () => {
  shown.textContent = `browser: ${client.getTreatment(flag)}`;
};
client.on(client.Event.SDK_READY, show);
client.on(client.Event.SDK_UPDATE, show);

function Treatment() {
  const { treatment } = useTreatment({ name: flag });
  return <p>react: {treatment}</p>;
}
createRoot(document.body.appendChild(document.createElement('div'))).render(
  <SplitFactoryProvider config={settings}>
    <Treatment />
  </SplitFactoryProvider>,
);
