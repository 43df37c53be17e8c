import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { countOf, listed } from '../../administration/count.ts';
import { FormModal } from '../../kit/FormModal.tsx';
import { useForm } from '../../kit/form.ts';
import { useProject } from '../../server/project.ts';
import { toast } from '../../state/toasts.ts';
import { remove } from '../../targeting/segment-kinds.ts';
import { type SegmentAnswer, useRefreshSegments } from './segments-query.ts';
import { usersReading } from './UsedBy.tsx';

interface Props {
  readonly segment: SegmentAnswer;
  readonly onClose: () => void;
}

/** The server refuses while something names the segment, so say beforehand what does. */
export function DeleteSegmentDialog({ segment, onClose }: Props) {
  const { name, kind = 'standard', environments = [] } = segment;
  const project = useProject();
  const navigate = useNavigate();
  const refresh = useRefreshSegments();
  const { data: users } = useQuery(usersReading(project.id, name));
  const { form, problem, isSending } = useForm({
    rules: {},
    send: () => remove(project.id, { kind, name }),
    onDone: async () => {
      toast(`Deleted ${name}.`);
      await navigate({ to: '/p/$project/segments', params: { project: project.name } });
      await refresh();
    },
  });
  const active = environments.filter((usage) => usage.active);
  const keys = active.reduce((sum, { keyCount }) => sum + keyCount, 0);
  const names = [...new Set((users?.objects ?? []).map((user) => user.name))];
  return (
    <FormModal
      kind="alert"
      title={`Delete ${name}?`}
      about={
        active.length === 0
          ? 'It is not active in any environment. You cannot undo this.'
          : `It is active in ${listed(active.map(({ environment }) => environment.name))}${keys > 0 ? `, with ${countOf(keys, 'key')}` : ''}. You cannot undo this.`
      }
      form={form}
      problem={problem}
      isSending={isSending}
      refusal={
        names.length === 0
          ? undefined
          : `It is used by ${listed(names, 5)}. Remove it from ${names.length === 1 ? 'there' : 'these'} first.`
      }
      submit="Delete segment"
      look="danger-fill"
      onClose={onClose}
    />
  );
}
