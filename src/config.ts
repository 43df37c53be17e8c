/** The environment variables, read once and checked. Nothing else reads `process.env`. */

export interface Config {
  readonly host: string;
  readonly port: number;
  readonly databaseUrl: string;
  /** Where people reach this server, without a slash at the end; undefined: where it listens. */
  readonly publicUrl: string | undefined;
  readonly adminKeyText: string | undefined;
  readonly logLevel: string;
}

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'];

/** A complaint that a person can act on; the message is all they need to see. */
export class ConfigError extends Error {}

/** Throws a ConfigError with a sentence for each thing that is wrong. An empty variable counts as absent. */
export function readConfig(env: NodeJS.ProcessEnv): Config {
  const complaints: string[] = [];
  const read = (name: string, check: (value: string) => string | undefined): string | undefined => {
    const value = env[name] || undefined;
    const complaint = value === undefined ? undefined : check(value);
    if (complaint) complaints.push(`${name} ${complaint}`);
    return value;
  };
  const host = read('HOST', (value) => (/\s/.test(value) ? 'must be a host name or an address' : undefined));
  const port = read('PORT', (value) =>
    /^\d+$/.test(value) && Number(value) <= 65_535 ? undefined : `must be a number from 0 to 65535, not ${value}`,
  );
  const databaseUrl = read('DATABASE_URL', (value) =>
    /^file:./.test(value) ? undefined : 'must name a file, for example file:./data/burgee.db',
  );
  const publicUrl = read('PUBLIC_URL', (value) =>
    isHttpUrl(value) ? undefined : `must be a URL such as https://flags.example.com, not ${value}`,
  );
  const adminKeyText = read('BURGEE_ADMIN_API_KEY', (value) =>
    /^[\x21-\x7e]{16,}$/.test(value) ? undefined : 'must be 16 characters or more, without spaces',
  );
  const logLevel = read('LOG_LEVEL', (value) =>
    logLevels.includes(value) ? undefined : `must be one of ${logLevels.join(', ')}, not ${value}`,
  );
  if (complaints.length > 0) throw new ConfigError(complaints.join('\n'));
  return {
    host: host ?? '127.0.0.1',
    port: Number(port ?? 8080),
    databaseUrl: databaseUrl ?? 'file:./data/burgee.db',
    publicUrl: publicUrl?.replace(/\/+$/, ''),
    adminKeyText,
    logLevel: logLevel ?? 'info',
  };
}

function isHttpUrl(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && ['http:', 'https:'].includes(url.protocol) && !/[?#]/.test(text);
}
