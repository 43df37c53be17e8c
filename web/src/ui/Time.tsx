const minute = 60_000;
const week = 7 * 24 * 60 * minute;
const steps: readonly [number, Intl.RelativeTimeFormatUnit][] = [
  [24 * 60 * minute, 'day'],
  [60 * minute, 'hour'],
  [minute, 'minute'],
];
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' });
const dayOfYear = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric' });
const exact = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' });

interface Props {
  readonly at: number;
}

/** A past instant in relative form, with the exact time in the tooltip. */
export const Time = ({ at }: Props) => <Instant at={at} words={wordsSince(at, Date.now())} />;

/** Whole days, at least 0. */
export const daysSince = (at: number): number => Math.max(0, Math.floor((Date.now() - at) / (24 * 60 * minute)));

/** "2 d", "5 h", "now": for tables. */
export const ShortTime = ({ at }: Props) => <Instant at={at} words={shortWords(Date.now() - at, at)} />;

/** When something expires: "expires in 2 hours", "expired yesterday". */
export function Expiry({ at }: Props) {
  const now = Date.now();
  if (at <= now) {
    return (
      <>
        expired <Time at={at} />
      </>
    );
  }
  return (
    <>
      expires <Instant at={at} words={wordsUntil(at, now)} />
    </>
  );
}

/** A coming instant: "in 2 hours", "in 40 days". */
export function Until({ at }: Props) {
  const left = Math.max(at - Date.now(), 0);
  const [length, unit] = stepOf(left);
  return <Instant at={at} words={length === 0 ? 'in a moment' : relative.format(Math.round(left / length), unit)} />;
}

function Instant({ at, words }: Props & { readonly words: string }) {
  const date = new Date(at);
  return (
    <time dateTime={date.toISOString()} title={exact.format(date)}>
      {words}
    </time>
  );
}

/** "2 days ago" for up to seven days, then "12 Nov", and "12 Nov 2025" in other years. */
function wordsSince(at: number, now: number): string {
  const age = now - at;
  if (age > week) return dateWords(at, now);
  const [length, unit] = stepOf(age);
  return length === 0 ? 'just now' : relative.format(-Math.floor(age / length), unit);
}

/** Rounded, so that a new seven-day link expires "in 7 days", not in six. */
function wordsUntil(at: number, now: number): string {
  const left = at - now;
  if (left > week) return dateWords(at, now);
  const [length, unit] = stepOf(left);
  return length === 0 ? 'in a moment' : relative.format(Math.round(left / length), unit);
}

function shortWords(age: number, at: number): string {
  if (age > 365 * 24 * 60 * minute) return String(new Date(at).getFullYear());
  const [length, unit] = stepOf(age);
  return length === 0 ? 'now' : `${Math.floor(age / length)} ${unit === 'minute' ? 'min' : unit[0]}`;
}

const stepOf = (span: number) => steps.find(([length]) => span >= length) ?? ([0, 'minute'] as const);

const dateWords = (at: number, now: number): string =>
  (new Date(at).getFullYear() === new Date(now).getFullYear() ? day : dayOfYear).format(at);
