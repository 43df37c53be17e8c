import { type ConnectedSdk, isConnected, type SdkAnswer } from '#domain/sdks.ts';
import { countOf } from '../../administration/count.ts';
import { isOverHttp, isPolling, type LiveSdks } from '../../sdks/connected.ts';
import styles from './ConnectionLine.module.css';
import { clockTime, preciseTime } from './times.ts';

interface Props {
  readonly sdk: ConnectedSdk;
  readonly live: LiveSdks;
  readonly firstAnswer: SdkAnswer | undefined;
}

interface Point {
  readonly title: string;
  /** Undefined: it has not happened, or is not known. */
  readonly proof: string | undefined;
  readonly otherwise: string;
}

/** What happened from the key to the first answer. Points that did not happen are hollow. */
export function ConnectionLine({ sdk, live, firstAnswer }: Props) {
  return (
    <ol className={styles.line}>
      {pointsOf({ sdk, live, firstAnswer }).map(({ title, proof, otherwise }) => (
        <li key={title} className={proof === undefined ? styles.open : styles.done}>
          <span className={styles.title}>{title}</span>
          <span className={styles.proof}>{proof ?? otherwise}</span>
        </li>
      ))}
    </ol>
  );
}

function pointsOf({ sdk, live, firstAnswer }: Props): Point[] {
  const { fetch, readyMilliseconds: ready, streamingSince } = sdk;
  const accepted: Point = { title: 'Key accepted', proof: preciseTime(sdk.firstSeenAt), otherwise: '' };
  const answered: Point = {
    title: 'First answer',
    proof: firstAnswer && `${firstAnswer.treatment} for ${firstAnswer.key}`,
    otherwise: 'none yet',
  };
  if (isOverHttp(sdk)) return [accepted, answered];
  return [
    accepted,
    {
      title: 'Rules fetched',
      proof: fetch && `${countOf(fetch.flags, 'flag')}, ${sizeOf(fetch.bytes)}, ${fetch.milliseconds} ms`,
      otherwise: 'not since Burgee started',
    },
    {
      title: 'SDK ready',
      proof: ready === undefined ? undefined : `after ${ready.toLocaleString('en')} ms`,
      otherwise: 'not reported',
    },
    {
      title: 'Streaming',
      proof: streamingSince === undefined ? undefined : `open since ${clockTime(streamingSince)}`,
      otherwise: !isConnected(sdk, live.serverTime)
        ? 'closed'
        : isPolling(sdk, live.serverTime)
          ? 'polling instead'
          : 'not yet',
    },
    answered,
  ];
}

const sizeOf = (bytes: number): string => (bytes < 1_000 ? `${bytes} B` : `${Math.round(bytes / 1_000)} KB`);
