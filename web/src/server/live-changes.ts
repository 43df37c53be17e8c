/** Which queries a change concerns. */
import type { ObjectType } from '#domain/changes.ts';

/** As the server announces it. Without a type, several objects changed. */
export interface Change {
  readonly type?: ObjectType;
  readonly id?: string;
  readonly name?: string;
  readonly project?: string;
  readonly environment?: string;
}

/** Changes to what is in a project do not show at these paths. */
const content: ReadonlySet<ObjectType | undefined> = new Set([
  'definition',
  'flag',
  'segment',
  'attribute',
  'identity',
  'flag_set',
  'view',
]);
const withoutContent =
  /^(session|\/(workspaces|users|groups|apiKeys|access|rolloutStatuses|health|outbox|sessions|watches)\b)|\/sdks$/;

/** Applying one also announces the changes of its objects. */
const withChangesets = /^(session|\/changesets\b|\/auditLogs\b)|\/schedules$/;

/** Errs on the side of asking again. The key is that of `keyOf`. */
export function concerns({ type, id, name, project }: Change, [path, input]: readonly unknown[]): boolean {
  if (type === 'changeset') return typeof path === 'string' && withChangesets.test(path);
  if (typeof path !== 'string' || (content.has(type) && withoutContent.test(path))) return false;
  const { params } = (input ?? {}) as { readonly params?: Readonly<Record<string, string>> };
  if (project !== undefined && params?.project !== undefined && params.project !== project) return false;
  const isOfFlag = type === 'definition' || type === 'flag';
  const isOfOtherFlag = isOfFlag && params?.flag !== undefined && params.flag !== name && params.flag !== id;
  // A change to one flag can make it depend on another.
  return !isOfOtherFlag || path.endsWith('/dependents');
}
