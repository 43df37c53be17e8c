import type { ComponentProps, ReactNode } from 'react';
import type { ApiProblem } from '../server/api-problem.ts';
import { Button, type Look } from '../ui/Button.tsx';
import { Modal, ModalBody, ModalFoot } from '../ui/Modal.tsx';
import { Notice } from '../ui/Notice.tsx';
import { Failure } from './Failure.tsx';
import styles from './FormModal.module.css';

interface Props {
  readonly title: string;
  readonly about?: ReactNode;
  readonly kind?: 'dialog' | 'alert' | undefined;
  readonly size?: 'narrow' | 'normal' | 'wide';
  /** From `useForm`. */
  readonly form: ComponentProps<'form'>;
  readonly problem?: ApiProblem | undefined;
  readonly isSending: boolean;
  /** Why it cannot be submitted. */
  readonly refusal?: string | undefined;
  /** The button label: "Create flag". */
  readonly submit: string;
  readonly look?: Look;
  readonly aside?: ReactNode;
  /** Amber: the action affects production. */
  readonly edge?: 'plain' | 'production';
  /** Not called while sending, because the result would be lost. */
  readonly onClose: () => void;
  readonly children?: ReactNode;
}

/** A dialog with a form, Cancel and a submit button. */
export function FormModal(props: Props) {
  const {
    title,
    about,
    kind,
    size = 'narrow',
    form,
    problem,
    isSending,
    refusal,
    submit,
    look,
    aside,
    edge = 'plain',
    onClose,
    children,
  } = props;
  const close = () => {
    if (!isSending) onClose();
  };
  return (
    <Modal title={title} about={about} size={size} kind={kind} onClose={close}>
      <form {...form}>
        <ModalBody>
          {refusal !== undefined && !problem && <Notice kind="plain">{refusal}</Notice>}
          <fieldset className={styles.fields} disabled={refusal !== undefined}>
            {children}
          </fieldset>
          {problem && <Failure problem={problem} />}
        </ModalBody>
        <ModalFoot aside={aside} edge={edge}>
          <Button onClick={close}>Cancel</Button>
          <Button type="submit" look={look ?? 'primary'} isBusy={isSending} refusal={refusal}>
            {submit}
          </Button>
        </ModalFoot>
      </form>
    </Modal>
  );
}
