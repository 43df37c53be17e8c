import { useState } from 'react';
import { changeSegmentDetails } from '#contract/segments.ts';
import { FormModal } from '../../kit/FormModal.tsx';
import { useForm } from '../../kit/form.ts';
import { NoteFields, noteOf, noteRules } from '../../kit/NoteFields.tsx';
import { call } from '../../server/api.ts';
import { useProject } from '../../server/project.ts';
import { toast } from '../../state/toasts.ts';
import { ChipsField } from '../../ui/ChipsField.tsx';
import { TextArea } from '../../ui/TextArea.tsx';
import { type SegmentAnswer, useRefreshSegments } from './segments-query.ts';

interface Props {
  readonly segment: SegmentAnswer;
  readonly onClose: () => void;
}

/** Description and tags. */
export function DetailsDialog({ segment, onClose }: Props) {
  const { name, description } = segment;
  const project = useProject();
  const isRequired = project.requiresTitleAndComments;
  const refresh = useRefreshSegments();
  const saved = (segment.tags ?? []).map((tag) => tag.name);
  const [tags, setTags] = useState<readonly string[]>(saved);
  const { form, errors, problem, isSending } = useForm({
    rules: { description: {}, ...noteRules(isRequired) },
    send: (values) =>
      call(changeSegmentDetails, {
        params: { project: project.id, anySegment: name },
        query: noteOf(values),
        body: { description: values.description, tags: [...tags] },
      }),
    onDone: async () => {
      onClose();
      toast('Saved.');
      await refresh();
    },
  });
  return (
    <FormModal
      title={`Edit ${name}`}
      form={form}
      problem={problem}
      isSending={isSending}
      submit="Save"
      onClose={onClose}
    >
      <TextArea name="description" label="Description" rows={3} maxLength={2000} defaultValue={description} autoFocus />
      <ChipsField
        label="Tags"
        options={[...new Set([...saved, ...tags])].map((tag) => ({ id: tag, label: tag }))}
        selected={tags}
        onChange={setTags}
        add="Add tag"
        create={{ label: (text) => `Create tag ${text}`, make: (text) => setTags([...tags, text]) }}
      />
      {isRequired && <NoteFields isRequired title={`Edit ${name}`} errors={errors} />}
    </FormModal>
  );
}
