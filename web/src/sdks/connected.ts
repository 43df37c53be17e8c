/** What Burgee knows of the SDKs in an environment, for the pages that show it. */
import { queryOptions, useQuery } from '@tanstack/react-query';
import { getSdks } from '#contract/sdks.ts';
import type { ConnectedSdk, EnvironmentSdks, SdkAnswer } from '#domain/sdks.ts';
import { countOf } from '../administration/count.ts';
import { call, keyOf } from '../server/api.ts';

export interface LiveSdks extends EnvironmentSdks {
  /** What to add to the browser's clock to get the server's. */
  readonly clockOffset: number;
}

interface Place {
  readonly project: string;
  readonly environment: string;
}

const sdksReading = (params: Place) =>
  queryOptions<LiveSdks>({
    queryKey: keyOf(getSdks, { params }),
    queryFn: async () => {
      const sentAt = Date.now();
      const sdks = await call(getSdks, { params });
      return { ...sdks, clockOffset: sdks.serverTime - (sentAt + Date.now()) / 2 };
    },
  });

/** Asks again and again. `undefined`: not yet. */
export const useSdks = (place: Place | undefined, everyMs: number): LiveSdks | undefined =>
  useQuery({
    ...sdksReading(place ?? { project: '', environment: '' }),
    enabled: place !== undefined,
    refetchInterval: everyMs,
    // What is not new does not count.
    gcTime: 0,
  }).data;

/** "4 instances", "1 instance, 9 in browsers and apps". */
export function instancesInWords({ connected, clients }: Pick<EnvironmentSdks, 'connected' | 'clients'>): string {
  const parts = [
    ...(connected > 0 ? [countOf(connected, 'instance')] : []),
    ...(clients > 0 ? [`${clients.toLocaleString('en')} in browsers and apps`] : []),
  ];
  return parts.join(', ') || 'None connected';
}

/** Evaluations over HTTP. */
export const isOverHttp = ({ sdk }: Pick<ConnectedSdk, 'sdk'>): boolean => sdk === 'ofrep';

/** "nodejs 11.11.2". */
export const sdkInWords = ({ sdk }: Pick<ConnectedSdk, 'sdk'>): string =>
  sdk === 'ofrep' ? 'evaluation over HTTP' : sdk.replace(/-(?=\d)/, ' ');

/** Without a stream for this long, an SDK polls. Streams are opened right after the first fetch. */
const streamPatienceMs = 8_000;

export const isPolling = (sdk: ConnectedSdk, serverTime: number): boolean =>
  sdk.streams === 0 && !isOverHttp(sdk) && serverTime - sdk.firstSeenAt > streamPatienceMs;

/** How late an application may report an answer; Android takes half a minute. */
const maxDelayMs = 60_000;

/** When an answer was given. The application's clock counts unless it cannot be right. */
export const timeOf = ({ at, receivedAt }: SdkAnswer): number =>
  at <= receivedAt && receivedAt - at <= maxDelayMs ? at : receivedAt;

/** Those about the flag, not about one with its name that was deleted before it was created. */
export const answersFor = (
  answers: readonly SdkAnswer[],
  { name, creationTime }: { readonly name: string; readonly creationTime: number },
): readonly SdkAnswer[] => answers.filter((one) => one.flag === name && timeOf(one) >= creationTime);

/** The first answer with the treatment at or after the instant. `answers` are newest first. */
export const firstAnswerAfter = (
  answers: readonly SdkAnswer[],
  { treatment, since }: { readonly treatment: string; readonly since: number },
): SdkAnswer | undefined => answers.findLast((one) => one.treatment === treatment && timeOf(one) >= since);
