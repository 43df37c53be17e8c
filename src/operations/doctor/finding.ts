/** The result of a check. */

/** `trouble` must be fixed; a `warning` should be looked at. */
export interface Finding {
  readonly level: 'ok' | 'warning' | 'trouble';
  readonly subject: string;
  /** The situation and, if it is not good, what to do. */
  readonly sentence: string;
}

const maxMs = 1_000;
/** From here on, two-factor codes are refused. */
const muchMs = 30_000;

export function clockFinding(offByMs: number, sentence: string): Finding {
  const subject = 'clock';
  if (offByMs <= maxMs) return { level: 'ok', subject, sentence };
  const level = offByMs < muchMs ? 'warning' : 'trouble';
  return { level, subject, sentence: `${sentence}: let NTP set the clocks` };
}
