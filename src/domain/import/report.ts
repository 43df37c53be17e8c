/** A plan for people: what the command line prints, the page shows, and a file keeps. */
import { type Action, type Item, type Kind, kinds, type Plan } from './plan.ts';

export const kindTitles: Readonly<Record<Kind, string>> = {
  group: 'Groups',
  user: 'People',
  project: 'Projects',
  environment: 'Environments',
  traffic_type: 'Traffic types',
  attribute: 'Attributes',
  rollout_status: 'Rollout statuses',
  flag_set: 'Flag sets',
  segment: 'Segments',
  flag: 'Flags',
  activation: 'Segments in environments',
  rules: 'Rules of segments',
  keys: 'Keys of segments',
  definition: 'Definitions',
  restriction: 'Access lists',
};

export interface ReportRow {
  readonly kind: Kind;
  readonly title: string;
  readonly total: number;
  readonly counts: Readonly<Record<Action, number>>;
}

/** The kinds that the source has. */
export const rowsOf = ({ counts }: Plan): ReportRow[] =>
  kinds
    .map((kind) => ({
      kind,
      title: kindTitles[kind],
      counts: counts[kind],
      total: Object.values(counts[kind]).reduce((sum, count) => sum + count, 0),
    }))
    .filter(({ total }) => total > 0);

export const totalOf = (plan: Plan, action: Action): number =>
  kinds.reduce((sum, kind) => sum + plan.counts[kind][action], 0);

/** "658 objects will be created, 12 are already here." */
export function headlineOf(plan: Plan): string {
  const [create, update, same] = (['create', 'update', 'same'] as const).map((action) => totalOf(plan, action));
  if (create === 0 && update === 0) return `Nothing to do: ${countOf(same ?? 0)} already here.`;
  const parts = [
    ...(create ? [`${countOf(create)} will be created`] : []),
    ...(update ? [`${create ? update : countOf(update)} will be updated`] : []),
    ...(same ? [`${same} ${same === 1 ? 'is' : 'are'} already here`] : []),
  ];
  return `${parts.join(', ')}.`;
}

const countOf = (count: number): string => `${count} ${count === 1 ? 'object' : 'objects'}`;

export const placeOf = ({ project, environment, name, kind }: Item): string =>
  [project, kind === 'environment' ? undefined : environment, kind === 'project' ? undefined : name]
    .filter(Boolean)
    .join(' / ') || name;

export interface ReportGroup {
  readonly title: string;
  readonly lines: readonly string[];
}

/** What people must know before they import, the most important first. */
export function concernsOf(plan: Plan): ReportGroup[] {
  const withAction = (action: Action) =>
    plan.items
      .filter((item) => item.action === action)
      .map((item) => `${kindTitles[item.kind]}: ${placeOf(item)}. ${item.reason ?? ''}`.trim());
  const notes = plan.items
    .filter(({ action, reason }) => reason !== undefined && (action === 'create' || action === 'update'))
    .map((item) => `${kindTitles[item.kind]}: ${placeOf(item)}. ${item.reason}`);
  const groups = [
    { title: rebucketedTitle(plan), lines: plan.rebucketed.map(rebucketedLine) },
    { title: 'Conflicts, which are not overwritten', lines: withAction('conflict') },
    { title: 'Left out', lines: withAction('left_out') },
    { title: 'Imported with a difference', lines: notes },
    { title: 'Not read, or read differently', lines: plan.unread.map(({ what, why }) => `${what}: ${why}`) },
  ];
  return groups.filter(({ lines }) => lines.length > 0);
}

function rebucketedTitle({ rebucketed }: Plan): string {
  const count = rebucketed.length;
  const environments = [...new Set(rebucketed.map(({ environment }) => environment))].join(', ');
  return `${count} ${count === 1 ? 'rollout' : 'rollouts'} would be re-bucketed, because the SDK key is missing: ${environments}`;
}

const rebucketedLine = ({ project, environment, flag, share, accepted }: Plan['rebucketed'][number]): string =>
  `${project} / ${environment} / ${flag}: ${Math.round(100 * share)}% of users would get another treatment. ${
    accepted ? 'Imported with new seeds.' : 'Left out.'
  }`;

/** A page of its own, to show the team. */
export function reportPage(plan: Plan, { title, at }: { readonly title: string; readonly at: string }): string {
  const rows = rowsOf(plan).map(
    ({ title: kind, total, counts }) =>
      `<tr><th scope="row">${escaped(kind)}</th>${[
        total,
        counts.create,
        counts.update,
        counts.same,
        counts.conflict,
        counts.left_out,
      ]
        .map((count) => `<td>${count}</td>`)
        .join('')}</tr>`,
  );
  const concerns = concernsOf(plan).map(
    (group) =>
      `<section><h2>${escaped(group.title)}</h2><ul>${group.lines.map((line) => `<li>${escaped(line)}</li>`).join('')}</ul></section>`,
  );
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escaped(title)}</title>
<style>
body { font: 15px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 0 auto; padding: 2rem 1.25rem; }
table { border-collapse: collapse; width: 100%; }
th, td { padding: 0.4rem 0.6rem; border-bottom: 1px solid color-mix(in srgb, currentColor 20%, transparent); text-align: right; font-variant-numeric: tabular-nums; }
th:first-child { text-align: left; }
li { overflow-wrap: anywhere; }
</style>
</head>
<body>
<h1>${escaped(title)}</h1>
<p><strong>${escaped(headlineOf(plan))}</strong> Read at ${escaped(at)}.</p>
${concerns.join('\n')}
<section><h2>Plan</h2>
<table>
<thead><tr><th scope="col">Kind</th><th scope="col">At the source</th><th scope="col">Create</th><th scope="col">Update</th><th scope="col">Already here</th><th scope="col">Conflict</th><th scope="col">Left out</th></tr></thead>
<tbody>
${rows.join('\n')}
</tbody>
</table>
</section>
</body>
</html>
`;
}

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escaped = (text: string): string => text.replaceAll(/[&<>"]/g, (character) => escapes[character] ?? character);
