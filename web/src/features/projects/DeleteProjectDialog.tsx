import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { listApiKeys } from '#contract/api-keys.ts';
import { listFlags } from '#contract/flags.ts';
import { deleteProject } from '#contract/projects.ts';
import { listSegments } from '#contract/segments.ts';
import { countOf, listed } from '../../administration/count.ts';
import { apiKeysReading } from '../../administration/whole-lists.ts';
import { FormModal } from '../../kit/FormModal.tsx';
import { useForm } from '../../kit/form.ts';
import { NoteFields, noteOf, noteRules } from '../../kit/NoteFields.tsx';
import { call, reading } from '../../server/api.ts';
import { needsApproval, useEnvironments, useProject } from '../../server/project.ts';
import { useMay } from '../../server/session.ts';
import { toast } from '../../state/toasts.ts';
import { Field } from '../../ui/Field.tsx';
import styles from './DeleteProjectDialog.module.css';

/** Says what is in the project, and deletes all of it. */
export function DeleteProjectDialog({ onClose }: { readonly onClose: () => void }) {
  const project = useProject();
  const guarded = useEnvironments().find((environment) => needsApproval(environment));
  const navigate = useNavigate();
  const client = useQueryClient();
  const isRequired = project.requiresTitleAndComments;
  const { form, errors, problem, isSending } = useForm({
    rules: {
      word: { check: (value) => (value.trim() === project.name ? undefined : `Type ${project.name}`) },
      ...noteRules(isRequired),
    },
    send: (note) =>
      call(deleteProject, { params: { project: project.id }, query: { contents: 'delete', ...noteOf(note) } }),
    onDone: async () => {
      toast(`Deleted ${project.name}.`);
      await navigate({ to: '/admin/settings' });
      await client.invalidateQueries();
    },
  });
  return (
    <FormModal
      kind="alert"
      title={`Delete ${project.name}?`}
      about="Everything in it is deleted, and its API keys stop working. You cannot undo this. Its activity is kept."
      form={form}
      problem={problem}
      isSending={isSending}
      refusal={
        guarded &&
        `Changes in ${guarded.name} need an approval. Turn that off under Access before you delete the project.`
      }
      submit="Delete project"
      look="danger-fill"
      onClose={onClose}
    >
      <Contents />
      <Field
        name="word"
        label={`Type ${project.name} to confirm`}
        autoComplete="off"
        spellCheck={false}
        error={errors.word}
        autoFocus
      />
      {isRequired && <NoteFields isRequired title={`Delete ${project.name}`} errors={errors} />}
    </FormModal>
  );
}

function Contents() {
  const { id } = useProject();
  const environments = useEnvironments();
  const may = useMay();
  const params = { project: id };
  const flags = useQuery(reading(listFlags, { params, query: { limit: 1 } })).data?.totalCount;
  const archived = useQuery(reading(listFlags, { params, query: { archived: 'true', limit: 1 } })).data?.totalCount;
  const segments = useQuery(reading(listSegments, { params, query: { kind: 'all', limit: 1 } })).data?.totalCount;
  const keys = useQuery({ ...apiKeysReading, enabled: may(listApiKeys) }).data;
  const ended = keys?.filter(({ workspace }) => workspace?.id === id).map(({ name }) => name);
  const rows = [
    { what: 'flag', count: flags },
    { what: 'archived flag', count: archived },
    { what: 'environment', count: environments.length, names: environments.map(({ name }) => name) },
    { what: 'segment', count: segments },
    { what: 'API key', count: ended?.length, names: ended },
  ];
  return (
    <ul className={styles.contents}>
      {rows.map(({ what, count, names }) =>
        count ? (
          <li key={what}>
            {countOf(count, what)}
            {names && `: ${listed(names)}`}
          </li>
        ) : null,
      )}
    </ul>
  );
}
