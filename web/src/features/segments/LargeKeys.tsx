import { useState } from 'react';
import { submitChangeRequest } from '#contract/change-requests.ts';
import { maxUploadBytes } from '#domain/large-segments.ts';
import { countOf } from '../../administration/count.ts';
import { Failure } from '../../kit/Failure.tsx';
import { useForm } from '../../kit/form.ts';
import { NoteFields, noteOf, noteRules } from '../../kit/NoteFields.tsx';
import { ProdChip } from '../../kit/StatusChip.tsx';
import { call } from '../../server/api.ts';
import { useProject } from '../../server/project.ts';
import { useWhyNot } from '../../server/rights.ts';
import { sendFile } from '../../server/send-file.ts';
import { toast } from '../../state/toasts.ts';
import { useLeaveWarning } from '../../state/use-leave-warning.ts';
import { Button } from '../../ui/Button.tsx';
import { Notice } from '../../ui/Notice.tsx';
import { FileChoice } from './FileChoice.tsx';
import panel from './KeyPanel.module.css';
import styles from './SegmentPage.module.css';
import type { KeysProps } from './StandardKeys.tsx';
import { useRefreshSegments } from './segments-query.ts';

/** A large segment in an environment: its size, and a file that replaces its keys. */
export function LargeKeys({ segment, environment, keyCount }: KeysProps) {
  const project = useProject();
  const isRequired = project.requiresTitleAndComments;
  const refresh = useRefreshSegments();
  const refusal = useWhyNot()(submitChangeRequest, { environment: environment.id });
  const [file, setFile] = useState<File>();
  const [share, setShare] = useState(0);
  const { form, errors, problem, isSending } = useForm({
    rules: {
      file: { check: () => complaintAbout(file) },
      ...noteRules(isRequired),
    },
    send: async (values) => {
      setShare(0);
      const { title, comment } = noteOf(values);
      const { transactionMetadata } = await call(submitChangeRequest, {
        params: { project: project.id, environment: environment.id },
        body: {
          largeSegment: { name: segment },
          operationType: 'UPLOAD',
          ...(title === undefined ? {} : { title }),
          ...(comment === undefined ? {} : { comment }),
        },
      });
      await sendFile(transactionMetadata?.url ?? '', file ?? new File([], ''), setShare);
    },
    onDone: async () => {
      setFile(undefined);
      toast(`The file replaced the keys in ${environment.name}.`);
      await refresh();
    },
  });
  useLeaveWarning(isSending);
  // The choice may have changed since.
  const complaint = complaintAbout(file);
  const percent = Math.floor(share * 100);
  return (
    <>
      <h2 className={styles.title}>
        {environment.name} {environment.production && <ProdChip />}
      </h2>
      <p>{keyCount === 0 ? 'It has no keys here yet.' : `It has ${countOf(keyCount, 'key')} here.`}</p>
      <section className={panel.panel} aria-labelledby="replace">
        <header className={panel.head}>
          <h3 id="replace">Replace the keys in {environment.name}</h3>
        </header>
        <form {...form}>
          <div className={panel.body}>
            {refusal !== undefined && <Notice kind="plain">{refusal}</Notice>}
            <FileChoice
              name={file?.name}
              about="UTF-8 text with one key per line and no header, at most 500 MB. It replaces all keys when it is complete."
              isBusy={isSending}
              onChoose={setFile}
            />
            {errors.file !== undefined && complaint !== undefined && <Notice kind="danger">{complaint}</Notice>}
            <NoteFields isRequired={isRequired} errors={errors} />
            {problem && <Failure problem={problem} />}
          </div>
          <footer className={`${panel.foot} ${environment.production ? panel.production : ''}`}>
            {isSending && (
              <div className={panel.progress}>
                <span className="num">{share < 1 ? `${percent}% sent` : 'Sent. The server stores the keys.'}</span>
                <progress value={share} max={1} aria-label="Upload" />
              </div>
            )}
            <Button type="submit" look="primary" refusal={refusal} isBusy={isSending}>
              Replace keys in {environment.name}
            </Button>
          </footer>
        </form>
      </section>
    </>
  );
}

function complaintAbout(file: File | undefined): string | undefined {
  if (!file) return 'Choose a file.';
  return file.size > maxUploadBytes ? 'The file is larger than 500 MB.' : undefined;
}
