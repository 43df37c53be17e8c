/** Runs regular expressions of users, one after the other, where nothing else waits for them. See `patterns.ts`. */
import { matchesPattern } from '#domain/evaluation/match.ts';

export interface PatternQuestion {
  readonly pattern: string;
  readonly text: string;
}

addEventListener('message', ({ data }: MessageEvent<PatternQuestion>) =>
  postMessage(matchesPattern(data.pattern, data.text)),
);
// Loading takes its time, too: the limit is for expressions alone.
postMessage('ready');
