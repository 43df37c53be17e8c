import {
  AtSign,
  FileSliders,
  Flag,
  Folder,
  KeyRound,
  Layers,
  ListChecks,
  Lock,
  type LucideIcon,
  Package,
  Shapes,
  SquareUser,
  Tags,
  ToggleRight,
  UserRound,
  UsersRound,
} from 'lucide-react';
import { Fact, Facts } from '../../administration/Facts.tsx';
import { Chip } from '../../ui/Chip.tsx';
import { Notice } from '../../ui/Notice.tsx';
import { Table } from '../../ui/Table.tsx';
import { Compared } from './Compared.tsx';
import { Concerns, Rebucketed } from './Findings.tsx';
import styles from './ImportPage.module.css';
import { counted, type Job, type Report, type Source } from './source.ts';

interface Props {
  readonly report: Report;
  readonly progress: Job['progress'];
  readonly source: Source | undefined;
  readonly newSeeds: readonly string[];
  readonly onNewSeeds: (environments: readonly string[]) => void;
  readonly onKey: (place: string, key: string) => void;
}

/** What would affect users, then the counts; next to it, the rehearsal and the source. */
export function PlanView({ report, progress, source, newSeeds, onNewSeeds, onKey }: Props) {
  const byPlace = Map.groupBy(report.rebucketed, ({ environment }) => environment);
  const isNothing = totalOf(report, 'create') + totalOf(report, 'update') === 0;
  return (
    <div className={styles.columns}>
      <div className={styles.main}>
        {isNothing && <Notice kind="ok">{report.headline}</Notice>}
        {[...byPlace].map(([environment, rollouts]) => (
          <Rebucketed
            key={environment}
            environment={environment}
            rollouts={rollouts}
            isAccepted={newSeeds.includes(environment)}
            onAccept={(isAccepted) =>
              onNewSeeds([...newSeeds.filter((one) => one !== environment), ...(isAccepted ? [environment] : [])])
            }
            onKey={source && source.kind !== 'file' ? (key) => onKey(environment, key) : undefined}
          />
        ))}
        <Counts report={report} requests={progress.requests} />
        <Concerns concerns={report.concerns.slice(report.rebucketed.length > 0 ? 1 : 0)} />
      </div>
      <aside className={styles.rail}>
        {report.rehearsal && report.rehearsal.environments.length > 0 && (
          <section>
            <h2 className={styles.railTitle}>
              Rehearsal <span>nothing is written</span>
            </h2>
            <Compared environments={report.rehearsal.environments} />
            <p className={styles.quiet}>Verify, step 4, repeats this on what was imported.</p>
          </section>
        )}
        <section>
          <h2 className={styles.railTitle}>
            Source{' '}
            <Chip kind="ok" mark="dot">
              Read only
            </Chip>
          </h2>
          <SourceFacts report={report} progress={progress} source={source} />
        </section>
        <section>
          <h2 className={styles.railTitle}>Stays there</h2>
          <ul className={styles.stays}>
            <li>Change history and impressions</li>
            <li>Metrics and experiments</li>
            <li>API keys; create new ones here</li>
            <li>Passwords; people get an invitation</li>
          </ul>
        </section>
      </aside>
    </div>
  );
}

function SourceFacts({ report, progress, source }: Pick<Props, 'report' | 'progress' | 'source'>) {
  const places = report.rehearsal?.environments ?? [];
  const withSeeds = places.filter(({ hasSeeds }) => hasSeeds).length;
  const waited = Math.round((progress.waitedMs ?? 0) / 1000);
  return (
    <Facts>
      <Fact name="Account">{report.source}</Fact>
      {source?.project && (
        <Fact name="Project">
          {source.kind === 'file' ? source.project : `${source.project}, into ${source.into || source.project}`}
        </Fact>
      )}
      {places.length > 0 && (
        <Fact name="Seeds">
          {withSeeds} of {counted(places.length, 'environment')}
        </Fact>
      )}
      {(progress.requests ?? 0) > 0 && (
        <Fact name="Rate limit">{waited > 0 ? `waited ${waited} s` : 'never reached'}</Fact>
      )}
    </Facts>
  );
}

const icons: Readonly<Record<Report['rows'][number]['kind'], LucideIcon>> = {
  group: UsersRound,
  user: UserRound,
  project: Package,
  environment: Layers,
  traffic_type: Shapes,
  attribute: AtSign,
  rollout_status: ListChecks,
  flag_set: Folder,
  segment: SquareUser,
  flag: Flag,
  activation: ToggleRight,
  rules: Tags,
  keys: KeyRound,
  definition: FileSliders,
  restriction: Lock,
};

const actions = ['create', 'update', 'same', 'conflict', 'left_out'] as const;
const actionTitles = {
  create: 'Create',
  update: 'Update',
  same: 'Already here',
  conflict: 'Conflicts',
  left_out: 'Leave out',
};

export const totalOf = ({ rows }: Report, action: (typeof actions)[number]): number =>
  rows.reduce((sum, { counts }) => sum + counts[action], 0);

const clock = new Intl.DateTimeFormat('en-GB', { timeStyle: 'short' });

function Counts({ report, requests = 0 }: { readonly report: Report; readonly requests: number | undefined }) {
  const total = report.rows.reduce((sum, row) => sum + row.total, 0);
  return (
    <section className={styles.counts}>
      <div className={styles.tableHead}>
        <h2>Plan</h2>
        <span className={styles.quiet}>
          Read at {clock.format(report.at)}: {counted(total, 'object')}
          {requests > 0 && ` in ${counted(requests, 'request')}`}
        </span>
      </div>
      <Table
        caption="Plan"
        head={
          <tr>
            <th>Kind</th>
            <th className={styles.right}>At the source</th>
            {actions.map((action) => (
              <th key={action} className={styles.right}>
                {actionTitles[action]}
              </th>
            ))}
          </tr>
        }
      >
        {report.rows.map(({ kind, title, total: count, counts }) => {
          const Icon = icons[kind];
          return (
            <tr key={kind}>
              <th scope="row">
                <span className={styles.kind}>
                  <Icon size={15} strokeWidth={1.75} aria-hidden />
                  {title}
                </span>
              </th>
              <Cell count={count} />
              {actions.map((action) => (
                <Cell key={action} count={counts[action]} isStrong={action === 'create'} />
              ))}
            </tr>
          );
        })}
        <tr className={styles.total}>
          <th scope="row">Total</th>
          <Cell count={total} isStrong />
          {actions.map((action) => (
            <Cell key={action} count={totalOf(report, action)} isStrong />
          ))}
        </tr>
      </Table>
    </section>
  );
}

const Cell = ({ count, isStrong = false }: { readonly count: number; readonly isStrong?: boolean }) => (
  <td className={`${styles.right} num ${count === 0 ? styles.zero : isStrong ? styles.strong : ''}`}>
    {count.toLocaleString('en')}
  </td>
);
