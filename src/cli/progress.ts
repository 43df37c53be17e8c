/** Progress on stderr: a bar on a terminal, otherwise a line now and then. */

const terminal = process.stderr.isTTY ? { everyMs: 100, clear: '\r\x1b[K' } : undefined;
const lineEveryMs = 1_000;
const barLength = 24;

export interface Progress {
  readonly what: string;
  readonly rows: number;
  readonly total: number;
}

/** Shows the progress of a long command. `end` removes the bar, and writes a line if there is one. */
export function showProgress() {
  let shownAt = terminal ? 0 : performance.now();
  let began = { at: performance.now(), total: 0, share: 0 };
  return {
    step: (progress: Progress): void => {
      const now = performance.now();
      if (progress.total !== began.total) began = { at: now, total: progress.total, share: shareOf(progress) };
      if (now - shownAt < (terminal?.everyMs ?? lineEveryMs)) return;
      shownAt = now;
      const left = timeLeft(now - began.at, shareOf(progress), shareOf(progress) - began.share);
      process.stderr.write(terminal ? `${terminal.clear}${barOf(progress)}${left}` : `${lineOf(progress)}${left}\n`);
    },
    end: (line?: string): void => {
      process.stderr.write(`${terminal?.clear ?? ''}${line === undefined ? '' : `${line}\n`}`);
    },
  };
}

const shareOf = ({ rows, total }: Progress): number => (total === 0 ? 1 : Math.min(1, rows / total));
const percentOf = (progress: Progress): number => Math.floor(100 * shareOf(progress));

const lineOf = (progress: Progress): string =>
  `${progress.what}: ${progress.rows} of ${progress.total} (${percentOf(progress)} %)`;

/** Nothing at first, when a guess would be wrong. */
function timeLeft(elapsedMs: number, share: number, gained: number): string {
  if (elapsedMs < 3_000 || gained < 0.02 || share === 1) return '';
  const seconds = Math.ceil((elapsedMs * (1 - share)) / gained / 1000);
  return seconds < 90 ? `, about ${seconds} s left` : `, about ${Math.round(seconds / 60)} min left`;
}

function barOf(progress: Progress): string {
  const done = Math.round(barLength * shareOf(progress));
  const bar = '█'.repeat(done).padEnd(barLength, '░');
  return `${bar} ${String(percentOf(progress)).padStart(3)} % ${progress.what}`;
}
