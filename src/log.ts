import { type Logger, pino } from 'pino';
import pretty from 'pino-pretty';

/** Structured lines, or readable ones on a terminal. Keys and cookies have no place in a log, so they are struck out. */
export function createLog(level: string): Logger {
  const options = {
    level,
    base: null,
    redact: ['req.headers.authorization', 'req.headers["x-api-key"]', 'req.headers.cookie'],
  };
  return process.stdout.isTTY ? pino(options, pretty({ sync: true, translateTime: 'HH:MM:ss' })) : pino(options);
}
