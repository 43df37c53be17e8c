import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Download, RefreshCw } from 'lucide-react';
import { type ReactNode, useEffect, useState } from 'react';
import { getImport, startImport, stopImport } from '#contract/imports.ts';
import { reportPage } from '#domain/import/report.ts';
import type { ImportStep } from '#domain/imports.ts';
import { Denied } from '../../kit/Denied.tsx';
import { Failure } from '../../kit/Failure.tsx';
import { SaveBar } from '../../kit/SaveBar.tsx';
import { saveFile } from '../../kit/save-file.ts';
import { call, keyOf } from '../../server/api.ts';
import { ApiProblem } from '../../server/api-problem.ts';
import { useMay } from '../../server/session.ts';
import { Button } from '../../ui/Button.tsx';
import { focusWhenLost } from '../../ui/focus.ts';
import { Loading } from '../../ui/Loading.tsx';
import { Notice } from '../../ui/Notice.tsx';
import { CrumbLink, Page, PageHead } from '../../ui/Page.tsx';
import { Compared } from './Compared.tsx';
import { ConnectForm } from './ConnectForm.tsx';
import styles from './ImportPage.module.css';
import { Imported, Verified } from './Outcome.tsx';
import { PlanView, totalOf } from './PlanView.tsx';
import { Running } from './Running.tsx';
import { Stepper } from './Stepper.tsx';
import { bodyOf, counted, type Job, type Report, type Source } from './source.ts';

const latest = { params: { import: 'latest' } };
const latestKey = keyOf(getImport, latest);

/** Null if there was none. */
const useLatest = (isAllowed: boolean) =>
  useQuery<Job | null, ApiProblem>({
    queryKey: latestKey,
    queryFn: () =>
      call(getImport, latest).catch((problem: unknown) => {
        if (problem instanceof ApiProblem && problem.status === 404) return null;
        throw problem;
      }),
    refetchInterval: ({ state }) => (state.data?.state === 'running' ? 1_000 : false),
    enabled: isAllowed,
  });

/** Moves in from Split, another Burgee, or a file: connect, plan, import, verify. */
export function ImportPage() {
  const isAllowed = useMay()(startImport);
  const { data, error, refetch } = useLatest(isAllowed);
  if (!isAllowed) return <Denied title="Import" />;
  if (data === undefined) {
    return <Frame>{error ? <Failure problem={error} onRetry={refetch} /> : <Loading />}</Frame>;
  }
  return <Steps latestJob={data} />;
}

const Frame = ({ tools, children }: { readonly tools?: ReactNode; readonly children: ReactNode }) => (
  <Page>
    <PageHead title="Import" crumbs={<CrumbLink to="/admin/settings">Settings</CrumbLink>} tools={tools} />
    {children}
  </Page>
);

function Steps({ latestJob }: { readonly latestJob: Job | null }) {
  const client = useQueryClient();
  const [source, setSource] = useState<Source>();
  const [newSeeds, setNewSeeds] = useState<readonly string[]>([]);
  // Of an earlier visit, only what has not ended well is shown at once.
  const [isShown, setShown] = useState(latestJob !== null && latestJob.state !== 'done');
  const job = isShown ? latestJob : null;
  const begin = useMutation<Job, ApiProblem, { step: ImportStep; from: Source }>({
    mutationFn: ({ step, from }) => call(startImport, { body: bodyOf(step, { source: from, newSeeds }) }),
    onSuccess: (started) => {
      client.setQueryData(latestKey, started);
      setShown(true);
    },
  });
  const stop = useMutation<Job, ApiProblem, string>({
    mutationFn: (id) => call(stopImport, { params: { import: id } }),
    onSuccess: (stopped) => client.setQueryData(latestKey, stopped),
  });
  const state = job ? `${job.id} ${job.state}` : 'connect';
  // biome-ignore lint/correctness/useExhaustiveDependencies: the button that had the focus may be gone with each state
  useEffect(focusWhenLost, [state]);
  useEffect(() => {
    if (job?.state === 'done' && job.step === 'import')
      void client.invalidateQueries({ predicate: ({ queryKey }) => queryKey !== latestKey });
  }, [client, job?.state, job?.step]);

  const run = (step: ImportStep, from: Source | undefined = source) => {
    // The keys are gone if the page was left meanwhile.
    if (from) begin.mutate({ step, from });
    else setShown(false);
  };
  const connect = (from: Source) => {
    setSource(from);
    begin.mutate({ step: 'plan', from });
  };
  const problem = begin.error && <Failure problem={begin.error} />;
  const sourceName =
    job?.result?.report?.source ?? (source?.kind === 'file' ? source.name : source && hostOf(source.url));

  if (!job) {
    return (
      <Frame>
        <Stepper at="connect" source={undefined} />
        {latestJob && latestJob.state !== 'running' && (
          <Notice kind="plain">
            {source ? '' : 'Keys are only in memory, so enter them again to continue. '}
            <Button look="link" onClick={() => setShown(true)}>
              Show the last step: {stepWords[latestJob.step]}
            </Button>
          </Notice>
        )}
        <ConnectForm before={source} isBusy={begin.isPending} problem={problem} onConnect={connect} />
      </Frame>
    );
  }
  const { report, comparison } = job.result ?? {};
  const isEnded = job.state !== 'running';
  const tools = isEnded && (
    <>
      {report && (
        <Button look="quiet" onClick={() => saveFile('import-plan.html', reportPage(report))}>
          <Download size={15} strokeWidth={1.75} aria-hidden />
          Download the plan
        </Button>
      )}
      {job.step === 'plan' && (
        <Button isBusy={begin.isPending} onClick={() => run('plan')}>
          <RefreshCw size={14} strokeWidth={1.75} aria-hidden />
          Read again
        </Button>
      )}
    </>
  );
  return (
    <Frame tools={tools}>
      <Stepper at={job.step} source={sourceName} />
      {problem}
      {job.state === 'running' && (
        <>
          <Running job={job} isStopping={stop.isPending} onStop={() => stop.mutate(job.id)} />
          {job.progress.environments && <Compared environments={job.progress.environments} isRunning />}
        </>
      )}
      {(job.state === 'failed' || job.state === 'interrupted') && (
        <Ended job={job} isBusy={begin.isPending} onContinue={() => run(job.step)} onBack={() => setShown(false)} />
      )}
      {job.state === 'done' && job.step === 'plan' && report && (
        <>
          <PlanView
            {...{ report, source, newSeeds }}
            progress={job.progress}
            onNewSeeds={setNewSeeds}
            onKey={(place, key) => {
              if (!source || source.kind === 'file') return;
              const next = { ...source, sdkKeys: { ...source.sdkKeys, [place]: key } };
              setSource(next);
              run('plan', next);
            }}
          />
          <PlanBar
            {...{ report, newSeeds, source }}
            isBusy={begin.isPending}
            onBack={() => setShown(false)}
            onGo={run}
          />
        </>
      )}
      {job.state === 'done' && job.step === 'import' && (
        <>
          <Imported job={job} />
          <SaveBar
            label="Next step"
            title="Verify what was imported"
            line="Evaluates 1,000 random keys of each flag with the official engine, on both sides."
          >
            <Button look="quiet" onClick={() => run('plan')}>
              Plan again
            </Button>
            <Button
              look="primary"
              isBusy={begin.isPending}
              onClick={() => run('verify')}
              refusal={source?.kind === 'file' ? 'A file cannot be compared.' : undefined}
            >
              Verify
            </Button>
          </SaveBar>
        </>
      )}
      {job.state === 'done' && comparison && <Verified comparison={comparison} />}
    </Frame>
  );
}

const stepWords = { plan: 'Plan', import: 'Import', verify: 'Verify' } as const;
const hostOf = (url: string): string => URL.parse(url)?.host ?? url;

interface EndedProps {
  readonly job: Job;
  readonly isBusy: boolean;
  readonly onContinue: () => void;
  readonly onBack: () => void;
}

/** A step that failed or was interrupted, and how to continue. */
function Ended({ job, isBusy, onContinue, onBack }: EndedProps) {
  const { done = 0, total = 0, doing } = job.progress;
  const isInterrupted = job.state === 'interrupted';
  const place =
    total > 0 ? ` at ${doing ? `${doing}, ` : ''}${done.toLocaleString('en')} of ${total.toLocaleString('en')}` : '';
  return (
    <Notice kind={isInterrupted ? 'plain' : 'danger'}>
      <p>
        {isInterrupted ? `Interrupted${place}. ` : ''}
        {job.result?.problem ?? (isInterrupted ? 'Its server went away. What it wrote stays.' : '')}
      </p>
      <div className={styles.actions}>
        <Button look="primary" isBusy={isBusy} onClick={onContinue}>
          {isInterrupted ? 'Continue' : 'Try again'}
        </Button>
        <Button look="quiet" onClick={onBack}>
          Back
        </Button>
      </div>
    </Notice>
  );
}

interface PlanBarProps {
  readonly report: Report;
  readonly newSeeds: readonly string[];
  readonly source: Source | undefined;
  readonly isBusy: boolean;
  readonly onBack: () => void;
  readonly onGo: (step: ImportStep) => void;
}

/** The act, with what it does and leaves out. */
function PlanBar({ report, newSeeds, source, isBusy, onBack, onGo }: PlanBarProps) {
  const accepted = report.rebucketed.filter(({ environment }) => newSeeds.includes(environment));
  const isNothing = totalOf(report, 'create') + totalOf(report, 'update') + accepted.length === 0;
  const leftOut = totalOf(report, 'left_out') - accepted.filter((one) => !one.accepted).length;
  const conflicts = totalOf(report, 'conflict');
  const target = source?.kind === 'file' ? source.project : source?.into || source?.project;
  const notes = [
    ...(accepted.length > 0 ? [`${counted(accepted.length, 'rollout')} with new seeds`] : []),
    ...(leftOut > 0 ? [`${leftOut.toLocaleString('en')} left out`] : []),
    ...(conflicts > 0 ? [counted(conflicts, 'conflict')] : []),
  ];
  return (
    <SaveBar
      label="Next step"
      title={report.headline.replace(/\.$/, '')}
      line={`${notes.length > 0 ? `${notes.join(', ')}. ` : ''}You can run the import again later.`}
    >
      <Button look="quiet" onClick={onBack}>
        Back
      </Button>
      {isNothing && source?.kind !== 'file' ? (
        <Button look="primary" isBusy={isBusy} onClick={() => onGo('verify')}>
          Verify
        </Button>
      ) : (
        <Button look="primary" isBusy={isBusy} onClick={() => onGo('import')}>
          {target ? `Import into ${target}` : 'Import'}
        </Button>
      )}
    </SaveBar>
  );
}
