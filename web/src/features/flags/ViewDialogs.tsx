import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { deleteOwnView, deleteSharedView, listViews, saveOwnView, saveSharedView } from '#contract/views.ts';
import type { View } from '#domain/views.ts';
import { explain } from '../../kit/explain.ts';
import { FormModal } from '../../kit/FormModal.tsx';
import { useForm } from '../../kit/form.ts';
import { call, keyOf } from '../../server/api.ts';
import type { ApiProblem } from '../../server/api-problem.ts';
import { useProject } from '../../server/project.ts';
import { useWhyNot } from '../../server/rights.ts';
import { toast, toastFailure } from '../../state/toasts.ts';
import { Choices, Radio } from '../../ui/Checkbox.tsx';
import { Field } from '../../ui/Field.tsx';
import { focusWhenLost } from '../../ui/focus.ts';
import { useFlagsSearch } from './flags-query.ts';
import { nothingChosen } from './flags-search.ts';
import type { ViewDialog } from './ViewTabs.tsx';
import { columnsOf, queryOf, searchOf } from './views.ts';
import { forgetUnsavedColumns, useColumns, useViews } from './views-query.ts';

interface Props {
  /** The current one. */
  readonly view: View | undefined;
  readonly onClose: () => void;
}

export function ViewDialogs({ dialog, ...props }: Props & { readonly dialog: ViewDialog }) {
  if (dialog === 'save as' || !props.view) return <SaveAsDialog {...props} />;
  return dialog === 'delete' ? <DeleteDialog {...props} view={props.view} /> : <Save {...props} view={props.view} />;
}

/** Saves what the list shows now, and opens it. */
function useSaveView() {
  const project = useProject();
  const client = useQueryClient();
  const navigate = useNavigate();
  const { search } = useFlagsSearch();
  const { choices } = useColumns();
  return async ({ name, shared }: Pick<View, 'name' | 'shared'>): Promise<void> => {
    const saved = await call(shared ? saveSharedView : saveOwnView, {
      params: { project: project.id, view: name },
      body: { query: queryOf(search), columns: columnsOf(choices) },
    });
    await client.invalidateQueries({ queryKey: keyOf(listViews) });
    forgetUnsavedColumns();
    await navigate({
      to: '/p/$project/flags',
      params: { project: project.name },
      search: searchOf(saved),
      replace: true,
    });
    toast(`Saved the view ${name}.`);
  };
}

/** Needs no dialog: the view has its name. */
function Save({ view, onClose }: Props & { readonly view: View }) {
  const save = useSaveView();
  const { mutate } = useMutation<void, ApiProblem>({
    mutationFn: () => save(view),
    onError: (problem) => toastFailure(explain(problem)),
    onSettled: () => {
      onClose();
      focusWhenLost();
    },
  });
  useEffect(() => mutate(), [mutate]);
  return null;
}

function SaveAsDialog({ view, onClose }: Props) {
  const views = useViews();
  const save = useSaveView();
  const refusal = useWhyNot()(saveSharedView);
  const [isShared, setShared] = useState(Boolean(view?.shared) && refusal === undefined);
  const isTaken = (name: string) => views.some((one) => one.name === name && one.shared === isShared);
  const { form, errors, problem, isSending } = useForm({
    rules: {
      name: {
        check: (value) => {
          const name = value.trim();
          if (name === '') return 'Enter a name';
          return isTaken(name) ? 'There is a view with this name' : undefined;
        },
        claim: (complaint) => (complaint.startsWith('The name of a view') ? complaint : undefined),
      },
    },
    send: ({ name }) => save({ name: name.trim(), shared: isShared }),
    onDone: () => {
      onClose();
      focusWhenLost();
    },
  });
  return (
    <FormModal
      title="Save as a view"
      about="Keeps the filters, the order and the columns."
      {...{ form, problem, isSending, onClose }}
      submit="Save view"
    >
      <Field name="name" label="Name" maxLength={60} autoComplete="off" error={errors.name} autoFocus />
      <Choices label="Who sees it">
        <Radio name="who" label="Only you" checked={!isShared} onChange={() => setShared(false)} />
        <Radio
          name="who"
          label="Everyone in the project"
          hint={refusal}
          disabled={refusal !== undefined}
          checked={isShared}
          onChange={() => setShared(true)}
        />
      </Choices>
    </FormModal>
  );
}

function DeleteDialog({ view: { name, shared }, onClose }: Props & { readonly view: View }) {
  const project = useProject();
  const client = useQueryClient();
  const { search, change } = useFlagsSearch();
  const refusal = useWhyNot()(shared ? deleteSharedView : deleteOwnView);
  const { form, problem, isSending } = useForm({
    rules: {},
    send: () => call(shared ? deleteSharedView : deleteOwnView, { params: { project: project.id, view: name } }),
    onDone: async () => {
      await client.invalidateQueries({ queryKey: keyOf(listViews) });
      forgetUnsavedColumns();
      onClose();
      change({ ...search, ...nothingChosen });
      toast(`Deleted the view ${name}.`);
      focusWhenLost();
    },
  });
  return (
    <FormModal
      title={`Delete the view ${name}?`}
      about={shared ? 'Everyone in the project loses it. No flag changes.' : 'No flag changes.'}
      kind="alert"
      {...{ form, problem, isSending, onClose, refusal }}
      submit="Delete view"
      look="danger-fill"
    />
  );
}
