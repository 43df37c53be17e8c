import { useQuery } from '@tanstack/react-query';
import { createLink } from '@tanstack/react-router';
import { type ComponentProps, type ReactNode, useState } from 'react';
import { listChanges } from '#contract/changes.ts';
import { listChangesets } from '#contract/changesets.ts';
import { listCleanup } from '#contract/cleanup.ts';
import { countFlags } from '#contract/flags.ts';
import type { FlagFacets } from '#domain/flag-list.ts';
import { ChangeEntry } from '../../activity/ChangeEntry.tsx';
import { byDay } from '../../activity/days.ts';
import { Loaded } from '../../kit/Loaded.tsx';
import { ProdChip } from '../../kit/StatusChip.tsx';
import { instancesInWords, useSdks } from '../../sdks/connected.ts';
import { reading } from '../../server/api.ts';
import { type Environment, useEnvironments, useProject } from '../../server/project.ts';
import { useMay } from '../../server/session.ts';
import { Page, PageHead } from '../../ui/Page.tsx';
import { PlainButtonLink, PrimaryButtonLink, TextLink } from '../../ui/TextLink.tsx';
import { ChangesPerDay } from './ChangesPerDay.tsx';
import { DriftCard } from './DriftCard.tsx';
import styles from './ProjectHomePage.module.css';

/** What needs attention in a project, and what happened. Each tile leads to the list behind its number. */
export function ProjectHomePage() {
  const project = useProject();
  const may = useMay();
  const params = { project: project.name };
  return (
    <Page width="wide">
      <PageHead
        title={project.name}
        within="Home"
        tools={
          <>
            <PlainButtonLink to="/p/$project/flags" params={params}>
              Open flags
            </PlainButtonLink>
            <PrimaryButtonLink to="/p/$project/flags/new" params={params}>
              New flag
            </PrimaryButtonLink>
          </>
        }
      />
      <Tiles />
      <div className={styles.columns}>
        <div className={styles.main}>
          {may(listChanges) && <ChangesPerDay />}
          <DriftCard />
          <EnvironmentsCard />
        </div>
        {may(listChanges) && <RecentChanges />}
      </div>
    </Page>
  );
}

/** More are not counted. */
const maxWaiting = 50;

function Tiles() {
  const { id, name } = useProject();
  const byId = { params: { project: id } };
  const params = { project: name };
  const counts = useQuery(reading(countFlags, byId)).data;
  const cleanup = useQuery({ ...reading(listCleanup, { ...byId, query: { limit: 1 } }), staleTime: 600_000 }).data;
  const waiting = useQuery(
    reading(listChangesets, { query: { workspaceId: id, filter: 'waiting', limit: maxWaiting } }),
  ).data?.data.length;
  const ready =
    useQuery(
      reading(listChangesets, { query: { workspaceId: id, filter: 'mine', status: 'APPROVED', limit: maxWaiting } }),
    ).data?.data.length ?? 0;
  const waitingWords = waiting === maxWaiting ? `${maxWaiting}+` : waiting;
  return (
    <ul className={styles.tiles} aria-label="What needs attention">
      <li>
        <Tile to="/p/$project/flags" params={params} title="Flags" value={counts?.totalCount} mark="plain">
          {undefinedWords(counts)}
        </Tile>
      </li>
      <li>
        <Tile
          to="/p/$project/flags"
          params={params}
          search={{ state: ['killed'] }}
          title="Killed"
          value={counts && stateCount(counts, 'killed')}
          mark="danger"
        >
          {productionWords(counts)}
        </Tile>
      </li>
      <li>
        <Tile
          to="/p/$project/flags"
          params={params}
          search={{ state: ['different'] }}
          title="Rules differ"
          value={counts && stateCount(counts, 'different')}
          mark="accent"
        >
          Rules, targets or treatments. Shares and kills do not count.
        </Tile>
      </li>
      <li>
        <Tile to="/p/$project/cleanup" params={params} title="To clean up" value={cleanup?.totalCount} mark="warn">
          Look finished
        </Tile>
      </li>
      <li>
        <Tile
          to="/p/$project/changesets"
          params={params}
          search={waiting === 0 && ready > 0 ? { show: 'mine', state: 'APPROVED' } : { show: 'waiting' }}
          title="Waiting for you"
          value={waitingWords}
          mark="ok"
        >
          {ready === 0 ? 'Changesets of others to approve or apply' : `From others. ${readyInWords(ready)}`}
        </Tile>
      </li>
    </ul>
  );
}

const readyInWords = (count: number): string =>
  `${count === maxWaiting ? `${count}+` : count} of yours ${count === 1 ? 'is' : 'are'} ready to apply.`;

/** In any environment, or in one. */
const stateCount = ({ state }: FlagFacets, kind: FlagFacets['state'][number]['state'], environment?: string): number =>
  state.find((one) => one.state === kind && one.environment?.id === environment)?.count ?? 0;

function productionWords(counts: FlagFacets | undefined): string {
  const inProduction = counts?.state.filter((one) => one.state === 'killed' && one.environment) ?? [];
  const words = inProduction.map((one) => `${one.count.toLocaleString('en')} in ${one.environment?.name}`);
  return words.length > 0 ? words.join(', ') : 'In any environment';
}

function undefinedWords(counts: FlagFacets | undefined): string {
  const missing = counts?.state.find((one) => one.state === 'undefined' && one.environment);
  return missing
    ? `${missing.count.toLocaleString('en')} not defined in ${missing.environment?.name}`
    : 'Without archived ones';
}

interface TileProps extends Omit<ComponentProps<'a'>, 'className' | 'title'> {
  readonly title: string;
  readonly value: number | string | undefined;
  readonly mark: 'plain' | 'danger' | 'accent' | 'warn' | 'ok';
  readonly children: ReactNode;
}

const Tile = createLink(({ title, value, mark, children, ...anchor }: TileProps) => (
  <a {...anchor} className={styles.tile}>
    <span className={styles.title}>
      <span className={styles.dot} data-mark={mark} data-none={value === 0 || undefined} aria-hidden />
      {title}
    </span>
    <span className={styles.value}>{typeof value === 'number' ? value.toLocaleString('en') : (value ?? '…')}</span>
    <span className={styles.words}>{children}</span>
  </a>
));

const shownChanges = 7;

function RecentChanges() {
  const { id, name } = useProject();
  const recent = useQuery(reading(listChanges, { query: { workspaceId: id, limit: shownChanges } }));
  return (
    <section className={styles.card} aria-labelledby="recent">
      <div className={styles.head}>
        <h2 id="recent">What changed</h2>
        <TextLink to="/p/$project/activity" params={{ project: name }}>
          All changes
        </TextLink>
      </div>
      <Loaded query={recent}>
        {({ data }) =>
          data.length === 0 ? (
            <p className={styles.none}>Nothing yet.</p>
          ) : (
            byDay(data, Date.now()).map(({ day, items }) => (
              <section key={day} aria-label={day}>
                <h3 className={styles.day}>{day}</h3>
                <ol className={styles.changes}>
                  {items.map((change) => (
                    <ChangeEntry key={change.id} change={change} namesProject={false} />
                  ))}
                </ol>
              </section>
            ))
          )
        }
      </Loaded>
    </section>
  );
}

/** Each costs a request every few seconds; the page of environments shows all. */
const shownEnvironments = 5;

function EnvironmentsCard() {
  const { name } = useProject();
  const environments = useEnvironments();
  const [now] = useState(() =>
    environments.toSorted((one, other) => Number(other.production) - Number(one.production)),
  );
  const shown = now.slice(0, shownEnvironments);
  return (
    <section className={styles.card} aria-labelledby="connected">
      <div className={styles.head}>
        <h2 id="connected">Connected SDKs</h2>
        <TextLink to="/p/$project/sdks" params={{ project: name }}>
          {environments.length > shown.length ? `All ${environments.length} environments` : 'Open SDKs'}
        </TextLink>
      </div>
      <ul className={styles.environments}>
        {shown.map((environment) => (
          <EnvironmentLine key={environment.id} environment={environment} />
        ))}
      </ul>
    </section>
  );
}

function EnvironmentLine({ environment }: { readonly environment: Environment }) {
  const live = useSdks({ project: useProject().id, environment: environment.id }, 15_000);
  return (
    <li className={styles.line}>
      <span className={styles.environment}>
        {environment.name} {environment.production && <ProdChip />}
      </span>
      <span className={styles.connected} data-none={(live && live.connected + live.clients === 0) || undefined}>
        {live ? instancesInWords(live) : '…'}
      </span>
    </li>
  );
}
