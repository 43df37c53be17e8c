// Shows the treatment of one user, and follows changes. `settings` comes from serve.mjs.
import { SplitFactory } from '@splitsoftware/splitio-browserjs';

const { burgee, key, flag, user } = globalThis.settings;
const client = SplitFactory({
  core: { authorizationKey: key, key: user },
  urls: {
    sdk: `${burgee}/api`,
    events: `${burgee}/api`,
    auth: `${burgee}/api`,
    telemetry: `${burgee}/api`,
    streaming: burgee,
  },
}).client();

const show = () => {
  document.body.textContent = `${user} gets ${client.getTreatment(flag)}`;
};
client.on(client.Event.SDK_READY, show);
client.on(client.Event.SDK_UPDATE, show);
