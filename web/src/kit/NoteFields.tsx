import { noteLimit } from '#domain/notes.ts';
import { Field } from '../ui/Field.tsx';
import { TextArea } from '../ui/TextArea.tsx';
import type { FieldRule } from './form.ts';

interface Props {
  /** The project requires both (`requiresTitleAndComments`). */
  readonly isRequired: boolean;
  readonly title?: string;
  readonly comment?: string | undefined;
  /** For an action with a fixed title: asks only for the reason, unless both are required. */
  readonly isReason?: boolean;
  /** The comment gets the focus. */
  readonly isFirst?: boolean;
  readonly errors: { readonly title?: string | undefined; readonly comment?: string | undefined };
}

/** Title and comment of a change. The form values are `title` and `comment`; `noteOf` turns them into the query. */
export const NoteFields = ({ isRequired, title = '', comment, isReason = false, isFirst = false, errors }: Props) => (
  <>
    {(isRequired || !isReason) && (
      <Field
        name="title"
        label="Title"
        aside={isRequired ? undefined : <Optional />}
        defaultValue={title}
        maxLength={noteLimit}
        error={errors.title}
      />
    )}
    <TextArea
      name="comment"
      label={isReason ? 'Reason' : 'Comment'}
      placeholder={isReason ? 'Shown in the activity' : undefined}
      autoFocus={isFirst}
      aside={isRequired ? undefined : <Optional />}
      rows={2}
      defaultValue={comment}
      maxLength={noteLimit}
      error={errors.comment}
      hint={isRequired ? 'This project requires a title and a comment.' : undefined}
    />
  </>
);

const Optional = () => <small>optional</small>;

/** Rules for `useForm`. */
export const noteRules = (isRequired: boolean): { readonly title: FieldRule; readonly comment: FieldRule } => {
  const rule = (missing: string): FieldRule => ({
    check: (value) => (isRequired && value.trim() === '' ? missing : undefined),
    // If the project only just began to require a note, the fields are not rendered yet and the form shows the problem.
    claim: (_, { noteRequired }) => (isRequired && noteRequired ? missing : undefined),
  });
  return { title: rule('This project requires a title.'), comment: rule('This project requires a comment.') };
};

/** Leaves out empty fields. */
export const noteOf = ({ title, comment }: { readonly title: string; readonly comment: string }) => ({
  title: title.trim() || undefined,
  comment: comment.trim() || undefined,
});
