import { useMutation, useQuery } from '@tanstack/react-query';
import { Download, Trash2 } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { getChangeRequest, submitChangeRequest } from '#contract/change-requests.ts';
import { deactivateLargeSegment } from '#contract/large-segments.ts';
import type { Change } from '#domain/changes.ts';
import { maxUploadBytes, type Upload } from '#domain/large-segments.ts';
import { countOf } from '../../administration/count.ts';
import { proposedWords, usePropose } from '../../changesets/propose.ts';
import { EditorName, useEditorName } from '../../kit/EditorName.tsx';
import { explain } from '../../kit/explain.ts';
import { Failure } from '../../kit/Failure.tsx';
import { useForm } from '../../kit/form.ts';
import { NoteFields, noteOf, noteRules } from '../../kit/NoteFields.tsx';
import { ProdChip } from '../../kit/StatusChip.tsx';
import { saveFile } from '../../kit/save-file.ts';
import { call } from '../../server/api.ts';
import type { ApiProblem } from '../../server/api-problem.ts';
import { needsApproval, useProject } from '../../server/project.ts';
import { useWhyNot } from '../../server/rights.ts';
import { sendFile } from '../../server/send-file.ts';
import { usePageActions } from '../../state/page-actions.ts';
import { toast, toastFailure } from '../../state/toasts.ts';
import { useLeaveWarning } from '../../state/use-leave-warning.ts';
import { Button } from '../../ui/Button.tsx';
import { Notice } from '../../ui/Notice.tsx';
import { Time } from '../../ui/Time.tsx';
import { largeKeysCsv } from './all-keys.ts';
import { FileChoice } from './FileChoice.tsx';
import panel from './KeyPanel.module.css';
import { LargeKeyTable } from './LargeKeyTable.tsx';
import { RemoveAllKeysDialog } from './RemoveAllKeysDialog.tsx';
import { isRunning, shareOf, uploadsReading } from './running-uploads.ts';
import styles from './SegmentPage.module.css';
import type { KeysProps } from './StandardKeys.tsx';
import { useRefreshSegments } from './segments-query.ts';
import { useFileDrop } from './use-file-drop.ts';

/** A large segment in an environment: its keys, and a file that replaces them. */
export function LargeKeys(props: KeysProps) {
  const { segment, environment, keyCount } = props;
  const project = useProject();
  const isRequired = project.requiresTitleAndComments;
  const refresh = useRefreshSegments();
  const cannotEdit = useWhyNot()(deactivateLargeSegment, { environment: environment.id });
  // A file is proposed with a change request, which waits only where approvals are required.
  const isProposed = needsApproval(environment);
  const refusal = isProposed ? undefined : cannotEdit;
  const replacing = isProposed ? 'Propose to replace the keys' : 'Replace the keys';
  const { openById } = usePropose();
  const [file, setFile] = useState<File>();
  const [share, setShare] = useState(0);
  const [isRemoving, setRemoving] = useState(false);
  const uploads = useQuery(uploadsReading(environment.id, segment));
  const running = uploads.data?.find(isRunning);
  const isOver = useFileDrop(setFile);
  const { form, errors, problem, isSending } = useForm({
    rules: {
      file: { check: () => complaintAbout(file) },
      ...noteRules(isRequired),
    },
    send: async (values) => {
      setShare(0);
      const { title, comment } = noteOf(values);
      const { id, transactionMetadata } = await call(submitChangeRequest, {
        params: { project: project.id, environment: environment.id },
        body: {
          largeSegment: { name: segment },
          operationType: 'UPLOAD',
          ...(title === undefined ? {} : { title }),
          ...(comment === undefined ? {} : { comment }),
        },
      });
      await sendFile(transactionMetadata?.url ?? '', file ?? new File([], ''), setShare);
      return call(getChangeRequest, { params: { changeRequest: id } });
    },
    onDone: async ({ id, status }) => {
      setFile(undefined);
      void refresh();
      if (status !== 'PUBLISHED') return openById(id, proposedWords({ status: 'REQUESTED' }));
      toast(`The file replaced the keys in ${environment.name}.`);
    },
  });
  useLeaveWarning(isSending);
  // The choice may have changed since.
  const complaint = complaintAbout(file);
  const percent = Math.floor(share * 100);
  return (
    <>
      <div className={styles.bar}>
        <h2 className={styles.title}>
          {environment.name} {environment.production && <ProdChip />}
        </h2>
        {keyCount > 0 && (
          <div className={styles.tools}>
            <DownloadButton {...props} />
            <Button look="quiet" refusal={refusal} onClick={() => setRemoving(true)}>
              <Trash2 size={14} aria-hidden /> {isProposed ? 'Propose to remove all keys' : 'Remove all keys'}
            </Button>
          </div>
        )}
      </div>
      <p>
        {keyCount === 0 ? `No keys in ${environment.name} yet.` : `${countOf(keyCount, 'key')} in ${environment.name}.`}
      </p>
      {running && !isSending && <RunningUpload upload={running} />}
      <section className={panel.panel} aria-labelledby="replace">
        <header className={panel.head}>
          <h3 id="replace">
            {replacing} in {environment.name}
          </h3>
        </header>
        <form {...form}>
          <div className={panel.body}>
            {cannotEdit !== undefined && (
              <Notice kind="plain">
                {cannotEdit}
                {isProposed && ' You can propose a file.'}
              </Notice>
            )}
            <FileChoice
              file={file}
              about={`UTF-8 text with one key per line and no header, at most 500 MB. It replaces all keys when it is ${isProposed ? 'approved and applied' : 'complete'}.`}
              isBusy={isSending}
              isOver={isOver}
              onChoose={setFile}
            />
            {errors.file !== undefined && complaint !== undefined && <Notice kind="danger">{complaint}</Notice>}
            <NoteFields isRequired={isRequired} errors={errors} />
            {problem && <Failure problem={problem} />}
          </div>
          <footer className={`${panel.foot} ${environment.production ? panel.production : ''}`}>
            {isSending && (
              <div className={panel.progress}>
                <span className="num">{share < 1 ? `${percent}% sent` : 'Uploaded. Storing the keys…'}</span>
                <progress value={share} max={1} aria-label="Upload" />
              </div>
            )}
            <Button type="submit" look="primary" refusal={refusal} isBusy={isSending}>
              {replacing} in {environment.name}
            </Button>
          </footer>
        </form>
      </section>
      {keyCount > 0 && <LargeKeyTable {...props} />}
      <Uploads uploads={uploads.data ?? []} />
      {isRemoving && (
        <RemoveAllKeysDialog
          segment={segment}
          environment={environment}
          keyCount={keyCount}
          isProposed={isProposed}
          onClose={() => setRemoving(false)}
        />
      )}
    </>
  );
}

/** Ten million keys take a while, so the button shows the progress and can cancel. */
function DownloadButton({ segment, environment }: KeysProps) {
  const [share, setShare] = useState(0);
  const stop = useRef(new AbortController());
  useEffect(() => () => stop.current.abort(), []);
  const downloading = useMutation<Blob | undefined, ApiProblem>({
    mutationFn: () => {
      setShare(0);
      stop.current = new AbortController();
      return largeKeysCsv({ environment: environment.id, segment }, { onShare: setShare, signal: stop.current.signal });
    },
    onSuccess: (csv) => csv && saveFile(`${segment}-${environment.name}.csv`, csv),
    onError: (problem) => toastFailure(`The download failed. ${explain(problem)}`),
  });
  const run = () => (downloading.isPending ? stop.current.abort() : downloading.mutate());
  usePageActions([{ label: 'Download keys', icon: Download, run }]);
  return (
    <Button look="quiet" onClick={run}>
      <Download size={14} aria-hidden />{' '}
      {downloading.isPending ? `Stop download, ${Math.floor(100 * share)}%` : 'Download'}
    </Button>
  );
}

/** Of someone else, or of another tab. */
function RunningUpload({ upload }: { readonly upload: Upload }) {
  const arrived = shareOf(upload);
  const who = useEditorName(upload.editor as Change['editor']);
  return (
    <div className={panel.progress}>
      <span className="num" role="status">
        {who} is uploading a file{arrived !== undefined && `: ${Math.floor(100 * arrived)}% arrived`}
      </span>
      <progress {...(arrived === undefined ? {} : { value: arrived })} max={1} aria-label="Upload under way" />
    </div>
  );
}

const outcomes = {
  awaiting: 'waiting for the file',
  receiving: 'uploading',
  waiting: 'waiting for an approval',
  published: 'complete',
  failed: 'failed',
} as const;

/** The latest uploads. */
function Uploads({ uploads }: { readonly uploads: readonly Upload[] }) {
  if (uploads.length === 0) return null;
  return (
    <section className={styles.part} aria-labelledby="uploads">
      <h2 id="uploads">Latest uploads</h2>
      <ul className={styles.list}>
        {uploads.slice(0, 5).map((upload) => (
          <li key={upload.id} className={styles.item}>
            <span>
              {upload.title !== '' && `${upload.title}: `}
              {upload.count === undefined ? outcomes[upload.status] : countOf(upload.count, 'key')}
              {upload.status === 'waiting' && `, ${outcomes.waiting}`}
              {upload.failure !== undefined && `. ${upload.failure}`}
            </span>
            <span className={styles.quiet}>
              <EditorName editor={upload.editor as Change['editor']} />, <Time at={upload.createdAt} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function complaintAbout(file: File | undefined): string | undefined {
  if (!file) return 'Choose a file.';
  return file.size > maxUploadBytes ? 'The file is larger than 500 MB.' : undefined;
}
