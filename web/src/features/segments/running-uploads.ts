/** Uploads to large segments that are under way. */
import { useQueries } from '@tanstack/react-query';
import { createContext } from 'react';
import { listChangeRequests } from '#contract/change-requests.ts';
import { listUploads } from '#contract/large-segments.ts';
import type { Upload } from '#domain/large-segments.ts';
import { reading } from '../../server/api.ts';
import type { SegmentAnswer } from './segments-query.ts';

/** By environment id and segment name. */
type Uploads = ReadonlyMap<string, Upload>;

export const UploadsContext = createContext<Uploads>(new Map());

/** How often the progress of a running upload is read; others are looked for less often. */
const runningMs = 2_000;
const idleMs = 15_000;

export const isRunning = ({ status }: Upload): boolean => status === 'receiving';

export const uploadsReading = (environment: string, segment: string) => ({
  ...reading(listUploads, { params: { environment, largeSegment: segment } }),
  refetchInterval: ({ state }: { state: { data?: readonly Upload[] | undefined } }) =>
    state.data?.some(isRunning) ? runningMs : idleMs,
});

/** The share of the file that arrived, 0 to 1; undefined if the client did not say how large it is. */
export const shareOf = ({ receivedBytes, totalBytes }: Upload): number | undefined =>
  totalBytes === undefined || totalBytes === 0 ? undefined : receivedBytes / totalBytes;

export function useRunningUploads(segments: readonly SegmentAnswer[]): Uploads {
  const places = segments
    .filter(({ kind }) => kind === 'large')
    .flatMap(({ name, environments = [] }) =>
      environments.filter(({ active }) => active).map(({ environment }) => ({ name, environment: environment.id })),
    );
  // One request for each environment, and one for each upload that is under way.
  const environments = [...new Set(places.map(({ environment }) => environment))];
  const open = useQueries({
    queries: environments.map((environmentId) => ({
      ...reading(listChangeRequests, { query: { environmentId, status: 'AWAITING', limit: 100 } }),
      refetchInterval: idleMs,
    })),
  });
  const isOpen = ({ name, environment }: (typeof places)[number]) =>
    open[environments.indexOf(environment)]?.data?.data.some(({ largeSegment }) => largeSegment?.name === name) ??
    false;
  const asked = places.filter(isOpen);
  const answers = useQueries({ queries: asked.map(({ name, environment }) => uploadsReading(environment, name)) });
  return new Map(
    asked.flatMap(({ name, environment }, index): [string, Upload][] => {
      const running = answers[index]?.data?.find(isRunning);
      return running ? [[`${environment} ${name}`, running]] : [];
    }),
  );
}
