/** A plan for people: what the command line prints, the page shows, and a file keeps. */
import { type Static, Type } from 'typebox';
import { Millis, OneOf } from '../schema.ts';
import { type Action, type Item, type Kind, kinds, type Plan } from './plan.ts';

const Count = Type.Integer({ minimum: 0 });
const Place = { project: Type.String(), environment: Type.String() };

/** One row for each kind of object that the source has. */
const ReportRow = Type.Object({
  kind: OneOf(kinds),
  title: Type.String(),
  total: Count,
  counts: Type.Object({ create: Count, update: Count, same: Count, conflict: Count, left_out: Count }),
});

export const Difference = Type.Object({
  ...Place,
  flag: Type.String(),
  key: Type.String(),
  attributes: Type.String({ description: 'JSON' }),
  there: Type.String({ description: 'what the key gets at the source' }),
  here: Type.String(),
});
export type Difference = Static<typeof Difference>;

export const ComparedEnvironment = Type.Object({
  ...Place,
  production: Type.Boolean(),
  hasSeeds: Type.Boolean({ description: 'false: without its SDK key nobody knows its seeds' }),
  evaluations: Count,
  compared: Type.Integer({ description: 'definitions that were evaluated on both sides' }),
  skipped: Type.Integer({ description: 'definitions that are not here, or whose seeds are unknown' }),
  differenceCount: Count,
});
export type ComparedEnvironment = Static<typeof ComparedEnvironment>;

/** Evaluations of both sides by the official engine. */
export const Comparison = Type.Object({
  evaluations: Count,
  compared: Count,
  skipped: Count,
  differenceCount: Count,
  differences: Type.Array(Difference, { description: 'the first of them' }),
  environments: Type.Array(ComparedEnvironment),
});
export type Comparison = Static<typeof Comparison>;

export const ImportReport = Type.Object({
  source: Type.String({ description: 'as audit entries name it' }),
  at: Millis,
  headline: Type.String(),
  rows: Type.Array(ReportRow),
  rebucketed: Type.Array(
    Type.Object({
      ...Place,
      flag: Type.String(),
      now: Type.String({ description: 'what keys get now' }),
      share: Type.Number({ description: 'of keys that would get another treatment, 0 to 1' }),
      accepted: Type.Boolean(),
    }),
  ),
  concerns: Type.Array(
    Type.Object({ title: Type.String(), count: Count, lines: Type.Array(Type.String(), { description: 'the first' }) }),
  ),
  rehearsal: Type.Optional(Comparison),
});
export type ImportReport = Static<typeof ImportReport>;

interface ReportOptions {
  readonly at: number;
  readonly rehearsal?: Comparison | undefined;
  /** Of each concern; all if left out. */
  readonly maxLines?: number;
}

export const reportOf = (plan: Plan, { at, rehearsal, maxLines }: ReportOptions): ImportReport => ({
  source: plan.source,
  at,
  headline: headlineOf(plan),
  rows: rowsOf(plan),
  rebucketed: plan.rebucketed.slice(0, maxLines),
  concerns: concernsOf(plan).map(({ title, lines }) => ({
    title,
    count: lines.length,
    lines: lines.slice(0, maxLines),
  })),
  ...(rehearsal ? { rehearsal } : {}),
});

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

/** The kinds that the source has. */
const rowsOf = ({ counts }: Plan): Static<typeof ReportRow>[] =>
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
function headlineOf(plan: Plan): string {
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

export const placeOf = ({
  project,
  environment,
  name,
  kind,
}: Pick<Item, 'project' | 'environment' | 'name' | 'kind'>): string =>
  [project, kind === 'environment' ? undefined : environment, kind === 'project' ? undefined : name]
    .filter(Boolean)
    .join(' / ') || name;

interface ReportGroup {
  readonly title: string;
  readonly lines: string[];
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
    {
      title: 'Deleted at the source, still here',
      lines: plan.gone.map((item) => `${kindTitles[item.kind]}: ${placeOf(item)}`),
    },
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

/** "1,000,000 evaluations, 0 differences". */
export const comparedInWords = ({
  evaluations,
  differenceCount,
}: Pick<Comparison, 'evaluations' | 'differenceCount'>): string =>
  `${evaluations.toLocaleString('en')} evaluations, ${differenceCount.toLocaleString('en')} ${differenceCount === 1 ? 'difference' : 'differences'}`;

/** "off there, on here". */
export const differenceInWords = ({ project, environment, flag, key, attributes, there, here }: Difference): string =>
  `${project} / ${environment} / ${flag}: ${key} ${attributes} gets ${there} there, ${here} here`;

/** A standalone page to show the team. */
export function reportPage(report: ImportReport): string {
  const title = `Import from ${report.source}`;
  const rows = report.rows.map(
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
  const concerns = report.concerns.map(({ title: what, count, lines }) => {
    const more = count > lines.length ? [`and ${count - lines.length} more`] : [];
    return `<section><h2>${escaped(what)} (${count})</h2>${listOf([...lines, ...more])}</section>`;
  });
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
<p><strong>${escaped(report.headline)}</strong> Read at ${new Date(report.at).toISOString()}.</p>
${report.rehearsal ? rehearsalSection(report.rehearsal) : ''}
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

const listOf = (lines: readonly string[]): string =>
  lines.length === 0 ? '' : `<ul>${lines.map((line) => `<li>${escaped(line)}</li>`).join('')}</ul>`;

function rehearsalSection(rehearsal: Comparison): string {
  const places = rehearsal.environments.map(
    (one) =>
      `${one.project} / ${one.environment}: ${comparedInWords(one)}${one.skipped > 0 ? `; ${one.skipped} definitions cannot be compared` : ''}`,
  );
  return `<section><h2>Rehearsal: ${comparedInWords(rehearsal)}</h2>
<p>Random keys, evaluated by the official engine on what the source has and on what would be here.</p>
${listOf(places)}${listOf(rehearsal.differences.map(differenceInWords))}</section>`;
}

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escaped = (text: string): string => text.replaceAll(/[&<>"]/g, (character) => escapes[character] ?? character);
