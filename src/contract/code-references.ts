import { Type } from 'typebox';
import { CodeReport, FlagCode } from '#domain/code-references.ts';
import { endpoint } from './endpoint.ts';
import { keysBodyLimit } from './parts.ts';

export const reportCode = endpoint({
  method: 'PUT',
  path: '/code-references/ws/:project',
  summary: 'Report where code names flags',
  description:
    'Replaces the last report of the same repository and branch; without references, deletes it. Flags that do not ' +
    'exist are left out. A report that is not renewed for 90 days is deleted. An addition to the vendor’s API.',
  access: { needs: 'flag.write', scope: 'project' },
  body: CodeReport,
  bodyLimit: keysBodyLimit,
  reply: Type.Object({ references: Type.Integer({ description: 'how many were stored' }) }),
  problems: ['too_many_code_reports'],
});

export const getFlagCode = endpoint({
  method: 'GET',
  path: '/splits/ws/:project/:flag/code-references',
  summary: 'Get where code names a flag',
  description: 'By the last report of each branch. An addition to the vendor’s API.',
  access: { needs: 'flag.read', scope: 'project' },
  reply: FlagCode,
  showsHousekeeping: true,
  problems: [],
});
