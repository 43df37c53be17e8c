import { FormModal } from '../../../kit/FormModal.tsx';
import { useForm } from '../../../kit/form.ts';
import { useFlag } from '../../../server/flag.ts';
import { TextArea } from '../../../ui/TextArea.tsx';
import { useEditor } from '../editing/editor.ts';
import { beginDraft } from '../editing/use-editing.ts';

/** Turns a pasted definition into the draft, validated with the server's own parser. */
export function PasteDialog({ onClose }: { readonly onClose: () => void }) {
  const { environment, place, refusal } = useEditor();
  const flag = useFlag();
  const { form, errors, problem, isSending } = useForm({
    rules: { json: { claim: (complaint) => complaint } },
    send: async ({ json }) => {
      const { readDefinition } = await import('./read-definition.ts');
      return readDefinition(json, flag.name);
    },
    onDone: (targeting) => {
      beginDraft(place, undefined, { targeting });
      onClose();
    },
  });
  return (
    <FormModal
      title={`Paste a definition for ${environment.name}`}
      about="As returned by the API. Fields set by the server (id, times) are ignored."
      size="normal"
      form={form}
      problem={problem}
      isSending={isSending}
      refusal={refusal}
      submit="Use as draft"
      onClose={onClose}
    >
      <TextArea name="json" label="JSON" face="name" rows={14} spellCheck={false} error={errors.json} autoFocus />
    </FormModal>
  );
}
