import type { ReactNode } from 'react';
import type { ApiProblem } from '../server/api-problem.ts';
import { Loading } from '../ui/Loading.tsx';
import { Failure } from './Failure.tsx';

interface Props<Data> {
  /** Of `useQuery`. */
  readonly query: {
    readonly data: Data | undefined;
    readonly error: ApiProblem | null;
    readonly refetch: () => unknown;
  };
  /** While it is on its way; lines by default. */
  readonly skeleton?: ReactNode;
  readonly children: (data: Data) => ReactNode;
}

/** The faces of something that is read: on its way, failed, there. What is there stays while it is read again. */
export function Loaded<Data>({ query: { data, error, refetch }, skeleton = <Loading />, children }: Props<Data>) {
  if (data !== undefined) return children(data);
  return error ? <Failure problem={error} onRetry={refetch} /> : skeleton;
}
