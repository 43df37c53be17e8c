/** Clients in a separate process: each sends a request, reads the whole response, and sends the next. */
import { type Servant, startServant } from './processes.ts';

export interface Asked {
  readonly method: 'GET' | 'PATCH' | 'POST' | 'PUT';
  /** In the path and in the texts of the body `{n}` stands for a number of ten digits, another one each time. */
  readonly path: string;
  readonly body?: unknown;
}

export interface Load {
  /** Of the servers on this machine. Every client asks them in turn, as one behind a load balancer does. */
  readonly ports: readonly number[];
  readonly headers: Readonly<Record<string, string>>;
  readonly clients: number;
  readonly requests: readonly Asked[];
  /** Each client goes through all requests, starting at one of its own; or repeats the one that is its own. */
  readonly order: 'all' | 'own';
  readonly milliseconds: number;
  /** Ends earlier once each client was answered so often. */
  readonly maxTurns?: number;
}

export interface LoadResult {
  /** Requests that were answered in the time. */
  readonly answered: number;
  /** And those that were under way at its end, for which the server works, too. */
  readonly served: number;
  readonly elapsedMs: number;
  /** How long an answer took. */
  readonly medianMs: number;
  readonly p99Ms: number;
  /** The same as a mean, client by client. */
  readonly meansMs: readonly number[];
}

export interface LoadProcess {
  /** All at once. Throws on any answer that is neither of the kind 200 nor 304. */
  run(...loads: readonly Load[]): Promise<LoadResult[]>;
  /** The greatest share of its core that it needed in a run; undefined where the system does not say. */
  busiest(): number | undefined;
  stop(): Promise<void>;
}

export type LoadAnswer = { readonly results: LoadResult[] } | { readonly failed: string };

export function startLoadProcess(): LoadProcess {
  const servant: Servant<readonly Load[], LoadAnswer> = startServant('./load-process.ts', 'asking');
  const shares: number[] = [];
  return {
    run: async (...loads) => {
      const before = servant.processorMs() ?? Number.NaN;
      const answer = await servant.ask(loads);
      if ('failed' in answer) throw new Error(answer.failed);
      const share = ((servant.processorMs() ?? Number.NaN) - before) / (answer.results[0]?.elapsedMs ?? Number.NaN);
      // What comes before and after weighs too much in a short run.
      if (share > 0 && (answer.results[0]?.elapsedMs ?? 0) >= leastMs) shares.push(share);
      return answer.results;
    },
    busiest: () => (shares.length === 0 ? undefined : Math.max(...shares)),
    stop: servant.stop,
  };
}

const leastMs = 400;
