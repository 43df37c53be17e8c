import { deleteOwnView, deleteSharedView, saveOwnView, saveSharedView } from '#commands/views.ts';
import * as contract from '#contract/views.ts';
import { refuse } from '#domain/problems.ts';
import { shapeOf } from '#domain/shapes.ts';
import { ViewName } from '#domain/views.ts';
import type { Reader } from '#store/sql.ts';
import { everyone, listViews } from '#store/views.ts';
import { implement } from '../pipeline/implement.ts';

const nameShape = shapeOf(ViewName, 'The name of a view');

/** From the path, which has no schema. */
function nameOf({ view }: { readonly view: string }): string {
  refuse('request_invalid', nameShape.complaints(view));
  return view;
}

export const views = (db: Reader) =>
  implement(contract, {
    listViews: async ({ project: { id: projectId }, actor }) => [
      ...(await listViews(db, { projectId, ownerId: everyone })),
      ...(await listViews(db, { projectId, ownerId: actor.id })),
    ],
    saveSharedView: async ({ context, project, params, body }) =>
      saveSharedView(context, project, nameOf(params), body),
    deleteSharedView: async ({ context, project, params }) => deleteSharedView(context, project, params.view),
    saveOwnView: async ({ context, project, params, body }) => saveOwnView(context, project, nameOf(params), body),
    deleteOwnView: async ({ context, project, params }) => deleteOwnView(context, project, params.view),
  });
