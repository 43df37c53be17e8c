import type { ReactNode } from 'react';
import type { ApiProblem } from '../server/api-problem.ts';
import { Loading } from '../ui/Loading.tsx';
import { Failure } from './Failure.tsx';

interface Props<Data> {
  /** From `useQuery`. */
  readonly query: {
    readonly data: Data | undefined;
    readonly error: ApiProblem | null;
    readonly refetch: () => unknown;
  };
  /** Shown while loading; lines by default. */
  readonly skeleton?: ReactNode;
  readonly children: (data: Data) => ReactNode;
}

/** The states of a query: loading, failed, loaded. Data stays visible during a refetch. */
export function Loaded<Data>({ query: { data, error, refetch }, skeleton = <Loading />, children }: Props<Data>) {
  if (data !== undefined) return children(data);
  return error ? <Failure problem={error} onRetry={refetch} /> : skeleton;
}
