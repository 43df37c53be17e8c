import { Import, NewImport } from '#domain/imports.ts';
import { endpoint } from './endpoint.ts';
import { keysBodyLimit } from './parts.ts';

const access = { needs: 'import.write', scope: 'account' } as const;

export const startImport = endpoint({
  method: 'POST',
  path: '/imports',
  summary: 'Start a step of an import',
  description:
    'Runs in the background on the node that received it; one at a time. The keys of the source stay in its memory: ' +
    'send them with each step. Only for administrators and for keys with all permissions. An addition to the vendor’s ' +
    'API.',
  access,
  body: NewImport,
  bodyLimit: keysBodyLimit,
  reply: Import,
  problems: ['import_invalid', 'import_running'],
});

export const getImport = endpoint({
  method: 'GET',
  path: '/imports/:import',
  summary: 'Get an import',
  description: 'Its state, progress and result, on any node. `latest` names the one that was started last.',
  access,
  reply: Import,
  showsHousekeeping: true,
  problems: ['import_not_found'],
});

export const stopImport = endpoint({
  method: 'DELETE',
  path: '/imports/:import',
  summary: 'Stop an import',
  description: 'Ends it after the current transaction. What it wrote stays. One that has ended is left as it is.',
  access,
  reply: Import,
  problems: ['import_not_found'],
});
