import type { ComponentProps } from 'react';
import { FormModal } from '../kit/FormModal.tsx';
import { useForm } from '../kit/form.ts';
import { toast } from '../state/toasts.ts';
import { focusWhenLost } from '../ui/focus.ts';

type Props = Pick<
  ComponentProps<typeof FormModal>,
  'title' | 'about' | 'submit' | 'refusal' | 'children' | 'onClose'
> & {
  readonly send: () => Promise<unknown>;
  /** Said afterwards. */
  readonly done: string;
  /** Refreshes, or leaves, what showed it. */
  readonly refresh: () => Promise<unknown>;
};

/** Asks before something is removed. */
export function RemoveModal({ send, done, refresh, ...modal }: Props) {
  const { form, problem, isSending } = useForm({
    rules: {},
    send,
    onDone: async () => {
      modal.onClose();
      toast(done);
      await refresh();
      focusWhenLost();
    },
  });
  return <FormModal kind="alert" look="danger-fill" form={form} problem={problem} isSending={isSending} {...modal} />;
}
