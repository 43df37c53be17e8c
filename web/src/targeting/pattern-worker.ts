/** Runs users' regular expressions one at a time, off the main thread. See `patterns.ts`. */
import { matchesPattern } from '#domain/evaluation/match.ts';

export interface PatternQuestion {
  readonly pattern: string;
  readonly text: string;
}

addEventListener('message', ({ data }: MessageEvent<PatternQuestion>) =>
  postMessage(matchesPattern(data.pattern, data.text)),
);
// Signals readiness, so that load time does not count against the limit.
postMessage('ready');
