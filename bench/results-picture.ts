/** The results at a glance: how far each measurement is from its bar, on a logarithmic scale. */
import type { Machine } from './machine.ts';
import { barText, ratioValue } from './results.ts';
import { isReached, type Row } from './rows.ts';

const width = 1080;
const rowHeight = 26;
const headHeight = 92;
const partHeight = 34;
const labelWidth = 500;
const valueWidth = 130;
/** Where the bar to reach is, and how much a doubling takes. */
const plot = { left: labelWidth + 10, right: width - valueWidth - 10 };
const line = (plot.left + plot.right) / 2;
const maxDoublings = 3;
const doubling = (plot.right - line) / maxDoublings;

export function resultsPicture(rows: readonly Row[], { date, commit }: Machine): string {
  const parts = [...Map.groupBy(rows, ({ part }) => part)];
  const height = headHeight + parts.length * partHeight + rows.length * rowHeight + 24;
  let y = headHeight;
  const drawn = parts.flatMap(([part, ofPart]) => {
    const title = text({ x: 24, y: y + 24, kind: 'part' }, part);
    y += partHeight;
    return [title, ...ofPart.map((row, index) => rowOf(row, y + index * rowHeight)), skip(ofPart.length)];
  });
  function skip(count: number): string {
    y += count * rowHeight;
    return '';
  }
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="Measurements of Burgee against their bars">
${style}
<rect class="page" width="${width}" height="${height}" rx="8"/>
${text({ x: 24, y: 36, kind: 'title' }, 'Burgee, measured against what it is to reach')}
${text({ x: 24, y: 58, kind: 'small' }, `${date} UTC, commit ${commit}. Right of the line: reached. Left of it: missed, by so much. Grey: not judged.`)}
${scale(height)}
${drawn.filter(Boolean).join('\n')}
${text({ x: line, y: 82, kind: 'small', anchor: 'middle' }, 'the bar')}
<line class="bar" x1="${line}" x2="${line}" y1="${headHeight}" y2="${height - 16}"/>
</svg>
`;
}

function rowOf(row: Row, y: number): string {
  const kind = row.notJudged !== undefined ? 'open' : isReached(row) ? 'reached' : 'missed';
  const doublings = Math.max(-maxDoublings, Math.min(maxDoublings, doublingsOf(row)));
  const end = line + doublings * doubling;
  const [left, right] = [Math.min(line, end), Math.max(line, end)];
  const mark = { reached: '✓', missed: '✗', open: '–' }[kind];
  return [
    text({ x: 24, y: y + 17, kind: 'label' }, `${row.work} <tspan class="against">/ ${escaped(row.against)}</tspan>`),
    `<rect class="${kind}" x="${left.toFixed(1)}" y="${y + 4}" width="${Math.max(2, right - left).toFixed(1)}" height="${rowHeight - 8}" rx="3"/>`,
    text(
      { x: width - 24, y: y + 17, kind: `value ${kind}-text`, anchor: 'end' },
      `${ratioValue(row.ratio.median)} <tspan class="against">${barText(row)}</tspan> ${mark}`,
    ),
  ].join('\n');
}

/** Above nought where the bar is reached, whichever way it is meant. */
function doublingsOf({ ratio, bar }: Row): number {
  if ('atLeast' in bar) return Math.log2(ratio.median / bar.atLeast);
  return bar.atMost === 0 ? (ratio.median === 0 ? 0.1 : -maxDoublings) : Math.log2(bar.atMost / ratio.median);
}

const scale = (height: number): string =>
  ([-2, -1, 1, 2] as const)
    .map((step) => {
      const x = line + step * doubling;
      const label = { '-2': '¼', '-1': '½', '1': '2 ×', '2': '4 ×' }[step];
      return `<line class="grid" x1="${x}" x2="${x}" y1="${headHeight}" y2="${height - 16}"/>
${text({ x, y: 82, kind: 'small', anchor: 'middle' }, label)}`;
    })
    .join('\n');

interface Placed {
  readonly x: number;
  readonly y: number;
  readonly kind: string;
  readonly anchor?: 'middle' | 'end';
}

const text = ({ x, y, kind, anchor }: Placed, content: string): string =>
  `<text class="${kind}" x="${x}" y="${y}"${anchor ? ` text-anchor="${anchor}"` : ''}>${content}</text>`;

const escaped = (content: string): string => content.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

/** The colours tell the same as the marks and the side of the line. */
const style = `<style>
text { font: 13px system-ui, sans-serif; fill: #1f2328; }
.page { fill: #ffffff; }
.title { font-size: 19px; font-weight: 600; }
.part { font-size: 14px; font-weight: 600; }
.small, .against { font-size: 12px; fill: #59636e; }
.value { font-weight: 600; }
.value .against { font-weight: 400; }
.reached { fill: #1a7f64; } .reached-text { fill: #116149; }
.missed { fill: #d4622a; } .missed-text { fill: #a8430f; }
.open { fill: #9aa4af; } .open-text { fill: #59636e; }
.bar { stroke: #1f2328; stroke-width: 2; }
.grid { stroke: #d1d9e0; stroke-width: 1; }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3; }
  .page { fill: #0d1117; }
  .small, .against { fill: #9198a1; }
  .reached { fill: #2f9e7f; } .reached-text { fill: #5fd0b0; }
  .missed { fill: #d9703a; } .missed-text { fill: #f0a070; }
  .open { fill: #59636e; } .open-text { fill: #9198a1; }
  .bar { stroke: #e6edf3; }
  .grid { stroke: #2a313a; }
}
</style>`;
