// An HTTP service that checks a flag for each request: curl 'http://127.0.0.1:3000/?user=ada'
import { createServer } from 'node:http';
import { SplitFactory } from '@splitsoftware/splitio';

const {
  BURGEE_URL: burgee = 'http://127.0.0.1:8080',
  BURGEE_KEY: key,
  FLAG: flag = 'new_checkout',
  PORT = '3000',
} = process.env;
if (!key) throw new Error('Set BURGEE_KEY to a server-side key');

const client = SplitFactory({
  core: { authorizationKey: key },
  urls: {
    sdk: `${burgee}/api`,
    events: `${burgee}/api`,
    auth: `${burgee}/api`,
    telemetry: `${burgee}/api`,
    streaming: burgee,
  },
}).client();
await client.ready();

const server = createServer((request, response) => {
  const user = new URL(request.url ?? '/', 'http://service').searchParams.get('user') ?? 'anonymous';
  response.end(`${user} gets ${client.getTreatment(user, flag)}\n`);
});
server.listen(Number(PORT), '127.0.0.1', () => console.log(`http://127.0.0.1:${PORT}/?user=ada`));

// Sends what it has not reported yet.
process.on('SIGINT', () => void client.destroy().then(() => process.exit()));
process.on('SIGTERM', () => void client.destroy().then(() => process.exit()));
