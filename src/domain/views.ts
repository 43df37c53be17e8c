/** Saved views of the flag list: those of a project, which everyone sees, and each actor's own. */
import { type Static, Type } from 'typebox';
import { patterns } from './schema.ts';

export const ViewName = Type.String({ pattern: patterns.name, maxLength: 60 });

export const ViewContent = Type.Object({
  query: Type.String({
    pattern: patterns.tag,
    maxLength: 4_000,
    description: 'filters and order, as in the address of the flag list: `status=Ramping&sort=name`',
  }),
  columns: Type.Array(Type.String({ pattern: '^.', maxLength: 300 }), {
    maxItems: 200,
    description:
      'columns that differ from the usual ones: `created` is shown, `-tags` is hidden, `env:<environment>` and `-env:<environment>`',
  }),
});
export type ViewContent = Static<typeof ViewContent>;

export const View = Type.Object({
  id: Type.String(),
  name: Type.String(),
  shared: Type.Boolean({ description: 'false: only the caller sees it' }),
  ...ViewContent.properties,
});
export type View = Static<typeof View>;

/** For shared views of a project, and for each actor's own views there. The list is not paged. */
export const maxViews = 50;
