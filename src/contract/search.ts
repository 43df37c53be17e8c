import { Type } from 'typebox';
import { Found } from '#domain/search.ts';
import { endpoint } from './endpoint.ts';

export const search = endpoint({
  method: 'GET',
  path: '/search',
  summary: 'Search all projects',
  description:
    'Flags, segments, environments and projects whose names contain every word, best match first: at most 40, and ' +
    'only those that the caller may read. A word may be part of the name of the project instead. If nothing ' +
    'contains the words, one wrong letter is forgiven in words of four letters or more, two in words of eight or more. ' +
    'Archived flags are left out. An addition to the vendor’s API.',
  access: { needs: 'project.read', scope: 'environment' },
  query: Type.Object({
    text: Type.String({
      minLength: 1,
      maxLength: 100,
      description: 'Parts of names, separated by spaces, in any case. Words after the first four are ignored.',
    }),
  }),
  reply: Type.Object({ objects: Type.Array(Found) }),
  problems: [],
});
