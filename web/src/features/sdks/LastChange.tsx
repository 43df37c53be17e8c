import { useQuery } from '@tanstack/react-query';
import { listChanges } from '#contract/changes.ts';
import { dayMs } from '#domain/durations.ts';
import type { Convergence } from '#domain/sdks.ts';
import { ChangeActor } from '../../activity/ChangeNames.tsx';
import { reading } from '../../server/api.ts';
import { type Environment, useProject } from '../../server/project.ts';
import { useMay } from '../../server/session.ts';
import { CopyButton } from '../../ui/CopyButton.tsx';
import { TextLink } from '../../ui/TextLink.tsx';
import { Time } from '../../ui/Time.tsx';
import { Curve } from './Curve.tsx';
import { headline, nameAndVersion, number, span, whyBehind, whySilent } from './fleet.ts';
import styles from './LastChange.module.css';
import { Squares, StateMark } from './Squares.tsx';

interface Props {
  readonly environment: Environment;
  readonly convergence: Convergence;
}

/** Numbers of changes are the time at which they were saved, unless an import brought them. */

export function LastChange({ environment, convergence }: Props) {
  const { instances, converged, silent, arrivals, changeNumber, serverTime } = convergence;
  const behind = instances - converged;
  const started = converged - arrivals.length;
  const slowest = arrivals.at(-1);
  const hasCurve = arrivals.length > 0 || (behind > 0 && Math.abs(serverTime - changeNumber) < dayMs);
  return (
    <section className={styles.box} aria-label="Last change">
      <div className={styles.hero}>
        <div className={styles.words}>
          <h2 className={styles.headline} role="status">
            {headline(convergence)}
          </h2>
          <SavedBy environment={environment} changeNumber={changeNumber} />
          <p className={styles.number}>
            Change <span className="mono num">{changeNumber}</span>
            <CopyButton text={String(changeNumber)} what="change number" face="icon" />
          </p>
        </div>
        <ul className={styles.legend}>
          <li>
            <StateMark state="converged" />
            <b className="num">{number(converged)}</b> current
            {slowest !== undefined && `, slowest after ${span(slowest)}`}
          </li>
          {behind > 0 && (
            <li>
              <StateMark state="behind" />
              <b className="num">{number(behind)}</b> waiting for the next poll
            </li>
          )}
          {silent > 0 && (
            <li>
              <StateMark state="silent" />
              <b className="num">{number(silent)}</b> silent, not counted above
            </li>
          )}
        </ul>
        {hasCurve ? (
          <Curve convergence={convergence} savedAt={changeNumber} />
        ) : (
          <p className={styles.quiet}>
            No running instance waited for this change: they started after it, or Burgee did.
          </p>
        )}
        <div className={styles.squares}>
          <Squares converged={converged} behind={behind} silent={silent} />
          <p className={styles.quiet}>
            {instances + silent > 2_000 ? 'Instances' : 'One square per instance'}
            {hasCurve && started > 0 && `; ${number(started)} started after the change`}
          </p>
        </div>
      </div>
      <Stragglers convergence={convergence} />
    </section>
  );
}

/** Definitions that changed within this time of the number have it. */
const sameMs = 5_000;

function SavedBy({ environment, changeNumber }: { readonly environment: Environment; readonly changeNumber: number }) {
  const project = useProject();
  const may = useMay();
  const query = { environmentId: environment.id, objectType: 'definition', limit: 1 } as const;
  const { data } = useQuery({ ...reading(listChanges, { query }), enabled: may(listChanges) });
  const change = data?.data[0];
  if (!change || Math.abs(change.createdAt - changeNumber) > sameMs) return null;
  return (
    <p className={styles.change}>
      <ChangeActor editor={change.editor} />
      <span>
        <ChangeActor editor={change.editor} face="name" /> changed{' '}
        <TextLink
          to="/p/$project/flags/$flag/$environment"
          params={{ project: project.name, flag: change.object.name, environment: environment.name }}
        >
          <span className="mono">{change.object.name}</span>
        </TextLink>{' '}
        <Time at={change.createdAt} />
        {change.title !== undefined && `: ${change.title}`}
      </span>
    </p>
  );
}

const maxShown = 10;

/** Those that do not have the change, and why. */
function Stragglers({
  convergence: { stragglers, silentSdks, instances, converged, silent, serverTime },
}: Pick<Props, 'convergence'>) {
  const all = [
    ...silentSdks.map((one) => ({ ...one, state: 'silent' as const, why: whySilent(one, serverTime) })),
    ...stragglers.map((one) => ({ ...one, state: 'behind' as const, why: whyBehind(one, serverTime) })),
  ];
  if (all.length === 0) return null;
  const more = instances - converged + silent - Math.min(all.length, maxShown);
  return (
    <ul className={styles.behind} aria-label="Behind">
      {all.slice(0, maxShown).map(({ sdk, machine, state, why, changeNumber }) => (
        <li key={`${sdk} ${machine}`}>
          <span className={`mono ${styles.machine}`}>{machine ?? 'no machine name'}</span>
          <span className={`mono ${styles.small}`}>{nameAndVersion(sdk).join(' ')}</span>
          <span className={styles.state}>
            <StateMark state={state} />
            {state === 'silent' ? 'Silent' : 'Waiting'}
          </span>
          <span className={styles.small} title={`Holds change ${changeNumber}`}>
            {why}
          </span>
        </li>
      ))}
      {more > 0 && <li className={styles.small}>{number(more)} more</li>}
    </ul>
  );
}
