/** Four growth charts; what does not grow is a flat line. */
import type { Curves } from './curves.ts';
import type { Growth } from './growth-page.ts';
import { grouped } from './rows.ts';

const panel = { width: 600, height: 380 };
const plot = { left: 70, top: 60, right: 390, bottom: 330 };

interface Chart {
  readonly title: string;
  readonly unit: string;
  readonly axis: string;
  readonly xs: readonly number[];
  readonly lines: readonly { readonly name: string; readonly colour: number; readonly ys: readonly number[] }[];
  /** Where each step is ten times the last; else evenly from nought. */
  readonly isLogarithmic: boolean;
}

export function growthPicture({ curves, file }: Growth): string {
  // What is in several charts has the same colour in all of them.
  const works = [...new Set(curves.flatMap(({ lines }) => lines.map(({ work }) => work)))];
  const charts: Chart[] = [
    ...curves.map((ofAxis) => chartOf(ofAxis, works)),
    {
      title: 'More changes: the size of the file (SQLite)',
      unit: 'MB',
      axis: 'changes',
      xs: file.changes,
      lines: [{ name: 'the file', colour: 0, ys: file.bytes.map((bytes) => bytes / 1e6) }],
      isLogarithmic: false,
    },
  ];
  const [width, height] = [panel.width * 2, panel.height * Math.ceil(charts.length / 2)];
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="How the cost of a request grows">
${style}
<rect class="page" width="${width}" height="${height}" rx="8"/>
${charts
  .map((chart, index) => {
    const place = `translate(${(index % 2) * panel.width} ${Math.floor(index / 2) * panel.height})`;
    return `<g transform="${place}">${drawn(chart)}</g>`;
  })
  .join('\n')}
</svg>
`;
}

const chartOf = ({ title, axis, steps, lines }: Curves, works: readonly string[]): Chart => ({
  title,
  unit: 'µs of processor time',
  axis,
  xs: steps,
  lines: lines.map(({ work, points }) => ({
    name: work,
    colour: works.indexOf(work),
    ys: points.map(({ processorUs }) => processorUs),
  })),
  isLogarithmic: true,
});

function drawn(chart: Chart): string {
  const all = chart.lines.flatMap(({ ys }) => ys);
  const x = scale(chart, chart.xs, [plot.left, plot.right]);
  const y = scale(chart, chart.isLogarithmic ? powersAround(all) : [0, Math.max(...all) * 1.1], [
    plot.bottom,
    plot.top,
  ]);
  const ticks = chart.isLogarithmic ? powersAround(all) : [0, 0.5, 1].map((share) => Math.max(...all) * share);
  return [
    text(plot.left, 28, 'title', chart.title),
    text(plot.left, 48, 'small', chart.unit),
    ...ticks.map((tick) => `<line class="grid" x1="${plot.left}" x2="${plot.right}" y1="${y(tick)}" y2="${y(tick)}"/>`),
    ...ticks.map((tick) => text(plot.left - 8, y(tick) + 4, 'small end', grouped(tick))),
    ...chart.xs.map((value) => text(x(value), plot.bottom + 20, 'small middle', short(value))),
    text((plot.left + plot.right) / 2, plot.bottom + 38, 'small middle', chart.axis),
    ...chart.lines.map(({ ys, colour }) => {
      const points = ys.map((value, step) => `${x(chart.xs[step] ?? 0).toFixed(1)},${y(value).toFixed(1)}`);
      const dots = points.map(
        (point) => `<circle class="c${colour}" cx="${point.split(',')[0]}" cy="${point.split(',')[1]}" r="3"/>`,
      );
      return `<polyline class="line c${colour}" points="${points.join(' ')}"/>${dots.join('')}`;
    }),
    ...labels(chart, y),
  ].join('\n');
}

/** Beside the ends of the lines, kept apart from each other. */
function labels({ lines }: Chart, y: (value: number) => number): string[] {
  const wanted = lines
    .map(({ name, colour, ys }) => ({ name, colour, at: y(ys.at(-1) ?? 0) }))
    .sort((one, other) => one.at - other.at);
  let last = Number.NEGATIVE_INFINITY;
  const placed = wanted.map((label) => {
    last = Math.max(label.at, last + 17);
    return { ...label, at: last };
  });
  const surplus = Math.max(0, last - plot.bottom);
  return placed.map(
    ({ name, colour, at }) =>
      `<text class="label c${colour}" x="${plot.right + 12}" y="${(at - surplus + 4).toFixed(1)}">${name}</text>`,
  );
}

function scale({ isLogarithmic }: Chart, values: readonly number[], [from, to]: readonly [number, number]) {
  const position = (value: number) => (isLogarithmic ? Math.log10(value) : value);
  const [min, max] = [position(Math.min(...values)), position(Math.max(...values))];
  return (value: number): number => from + ((position(value) - min) / (max - min || 1)) * (to - from);
}

function powersAround(values: readonly number[]): number[] {
  const [min, max] = [Math.floor(Math.log10(Math.min(...values))), Math.ceil(Math.log10(Math.max(...values)))];
  return Array.from({ length: max - min + 1 }, (_, index) => 10 ** (min + index));
}

const short = (value: number): string =>
  value >= 1e6 ? `${value / 1e6} M` : value >= 1e3 ? `${value / 1e3} k` : String(value);

const text = (x: number, y: number, kind: string, content: string): string =>
  `<text class="${kind}" x="${x.toFixed(1)}" y="${y.toFixed(1)}">${content}</text>`;

const light = [
  '#0b63c5',
  '#a8430f',
  '#116149',
  '#8a3fb0',
  '#8a6500',
  '#b3264a',
  '#3f5666',
  '#5a6b00',
  '#00707f',
  '#6a4a3a',
];
const dark = [
  '#6cb0ff',
  '#f0a070',
  '#5fd0b0',
  '#d39af0',
  '#e0b84a',
  '#ff8fa8',
  '#a9bccb',
  '#c3d45a',
  '#5cc8d8',
  '#c9a58f',
];
const coloured = (colours: readonly string[]): string =>
  colours
    .map(
      (colour, index) =>
        `.line.c${index} { stroke: ${colour}; } circle.c${index}, .label.c${index} { fill: ${colour}; }`,
    )
    .join('\n');

const style = `<style>
text { font: 13px system-ui, sans-serif; fill: #1f2328; }
.page { fill: #ffffff; }
.title { font-size: 15px; font-weight: 600; }
.small { font-size: 12px; fill: #59636e; }
.end { text-anchor: end; } .middle { text-anchor: middle; }
.grid { stroke: #d1d9e0; stroke-width: 1; }
.line { fill: none; stroke-width: 2; }
${coloured(light)}
@media (prefers-color-scheme: dark) {
text { fill: #e6edf3; }
.page { fill: #0d1117; }
.small { fill: #9198a1; }
.grid { stroke: #2a313a; }
${coloured(dark)}
}
</style>`;
