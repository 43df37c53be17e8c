import { EnvironmentSdks } from '#domain/sdks.ts';
import { endpoint } from './endpoint.ts';

export const getSdks = endpoint({
  method: 'GET',
  path: '/environments/ws/:project/:environment/sdks',
  summary: 'Get the connected SDKs of an environment',
  description:
    'Which SDKs read the environment, and the last answers that they reported. From memory, so only what happened since ' +
    'the nodes started; with several nodes, what the others saw appears within two seconds. An addition to the ' +
    'vendor’s API.',
  access: { needs: 'definition.read', scope: 'environment' },
  reply: EnvironmentSdks,
  showsHousekeeping: true,
  problems: [],
});
