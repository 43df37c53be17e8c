import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Fragment } from 'react';
import type { SegmentKind, SegmentUser } from '#domain/segments.ts';
import { countOf, listed } from '../../administration/count.ts';
import { FormModal } from '../../kit/FormModal.tsx';
import { useForm } from '../../kit/form.ts';
import { useProject } from '../../server/project.ts';
import { toast } from '../../state/toasts.ts';
import { remove } from '../../targeting/segment-kinds.ts';
import { TextLink } from '../../ui/TextLink.tsx';
import styles from './SegmentPage.module.css';
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
  const uses = [...Map.groupBy(users?.objects ?? [], (user) => `${user.kind} ${user.name}`).values()];
  return (
    <FormModal
      kind="alert"
      title={`Delete ${name}?`}
      about={
        uses.length > 0
          ? undefined
          : active.length === 0
            ? `It is not active in any environment. ${wayBack(kind)}`
            : `It is active in ${listed(active.map(({ environment }) => environment.name))}${keys > 0 ? `, with ${countOf(keys, 'key')}` : ''}. ${wayBack(kind)}`
      }
      form={form}
      problem={problem}
      isSending={isSending}
      refusal={uses.length === 0 ? undefined : 'A segment in use cannot be deleted. Remove it from here first:'}
      submit="Delete segment"
      look="danger-fill"
      onClose={onClose}
    >
      {uses.length > 0 && (
        <ul className={styles.uses} aria-label="Used by">
          {uses.slice(0, shown).map((places) => (
            <li key={`${places[0]?.kind} ${places[0]?.name}`}>
              <Use places={places} />
            </li>
          ))}
          {uses.length > shown && <li className={styles.quiet}>and {uses.length - shown} more, under “Used by”</li>}
        </ul>
      )}
    </FormModal>
  );
}

const wayBack = (kind: SegmentKind): string =>
  kind === 'rule_based'
    ? 'It can be restored from the activity.'
    : 'It can be restored from the activity, but without its keys.';

const shown = 5;

/** Each place is where the segment can be removed. */
function Use({ places }: { readonly places: readonly SegmentUser[] }) {
  const project = useProject();
  return (
    <>
      {places[0]?.kind === 'flag' ? 'Flag' : 'Segment'} <span className="mono">{places[0]?.name}</span> in{' '}
      {places.map(({ kind, name, environment }, index) => {
        const params = { project: project.name, environment: environment.name };
        return (
          <Fragment key={environment.id}>
            {index > 0 && ', '}
            {kind === 'flag' ? (
              <TextLink to="/p/$project/flags/$flag/$environment" params={{ ...params, flag: name }}>
                {environment.name}
              </TextLink>
            ) : (
              <TextLink to="/p/$project/segments/$segment/$environment" params={{ ...params, segment: name }}>
                {environment.name}
              </TextLink>
            )}
          </Fragment>
        );
      })}
    </>
  );
}
