/** What all parts of reading an account share: the clients, what could not be read, and progress. */
import type { SourceKind, Unread } from '#domain/import/source.ts';
import { type Client, SourceRefusal, type Traffic } from './client.ts';

export interface ReadProgress {
  /** "Flags of Checkout". */
  readonly doing: string;
  /** Lists that are read, and lists that are known of. The total grows at first. */
  readonly done: number;
  readonly total: number;
  readonly traffic: Readonly<Traffic>;
}

/** A project or an environment of the source. */
export interface Named {
  readonly id: string;
  readonly name: string;
}

/** Below the address of the account. */
export const v2 = '/internal/api/v2';

export interface Reading {
  /** The Admin API, from its root. */
  readonly api: Client;
  /** It answers more than the vendor's. */
  readonly isBurgee: boolean;
  /** The SDK endpoints of an environment, with its key. */
  readonly sdkOf: (project: string, environment: string) => Client | undefined;
  readonly wants: (kind: SourceKind) => boolean;
  /** Whether this many more segment keys may stay in memory. Otherwise they are read again when needed. */
  readonly mayKeep: (keys: number) => boolean;
  /** The import continues without it. Duplicates are reported once. */
  readonly leaveOut: (what: string, why: string) => void;
  /** Runs `read`, as a step of the progress. If the source refuses it, leaves `what` out and returns `instead`. */
  readonly attempt: <Result>(what: string, read: () => Promise<Result>, instead: Result) => Promise<Result>;
}

interface Surroundings extends Pick<Reading, 'api' | 'isBurgee' | 'sdkOf' | 'wants'> {
  readonly traffic: Traffic;
  readonly onProgress: (progress: ReadProgress) => void;
}

/** About 50 MB. */
const maxKeptKeys = 500_000;

export function createReading({ traffic, onProgress, ...shared }: Surroundings): Reading & { unread: Unread[] } {
  const unread = new Map<string, Unread>();
  let [done, total, kept] = [0, 0, 0];
  const leaveOut = (what: string, why: string) => void unread.set(`${what}\n${why}`, { what, why });
  return {
    ...shared,
    leaveOut,
    mayKeep: (keys) => {
      if (kept + keys > maxKeptKeys) return false;
      kept += keys;
      return true;
    },
    attempt: async (what, read, instead) => {
      total += 1;
      try {
        return await read();
      } catch (error) {
        if (!(error instanceof SourceRefusal)) throw error;
        leaveOut(what, `The source refused it: ${error.message}.`);
        return instead;
      } finally {
        done += 1;
        onProgress({ doing: what, done, total, traffic });
      }
    },
    get unread() {
      return [...unread.values()];
    },
  };
}
