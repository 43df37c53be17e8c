import { checkTargeting, type Targeting } from '#domain/definitions/definition.ts';
import {
  addTreatment,
  changeTreatment,
  freeTreatmentName,
  renameTreatment,
} from '#domain/definitions/edit-treatments.ts';
import { FormModal } from '../../../kit/FormModal.tsx';
import { useForm } from '../../../kit/form.ts';
import { Field } from '../../../ui/Field.tsx';
import { TextArea } from '../../../ui/TextArea.tsx';
import { useDefinition } from '../editing/editor.ts';

interface Props {
  /** Left out for a new treatment. */
  readonly name?: string;
  readonly onClose: () => void;
}

/** Edits a treatment in the draft. */
export function TreatmentDialog({ name, onClose }: Props) {
  const { targeting, change } = useDefinition();
  const treatment = targeting.treatments.find((one) => one.name === name);
  const { form, errors, isSending } = useForm({
    rules: {
      name: { check: (value) => nameProblem(targeting, name, value.trim()) },
      description: {},
      configurations: { check: (value) => (isJson(value) ? undefined : 'Invalid JSON.') },
    },
    send: (values) => Promise.resolve(values),
    onDone: ({ name: newName, description, configurations }) => {
      const trimmed = newName.trim();
      change((before) => {
        const named = name === undefined ? addTreatment(before, trimmed) : renameTreatment(before, name, trimmed);
        return changeTreatment(named, trimmed, { description, configurations: configurations.trim() });
      });
      onClose();
    },
  });
  return (
    <FormModal
      title={name === undefined ? 'New treatment' : `Treatment ${name}`}
      size="normal"
      form={form}
      isSending={isSending}
      submit={name === undefined ? 'Add treatment' : 'Apply'}
      onClose={onClose}
    >
      <Field
        name="name"
        label="Name"
        face="name"
        defaultValue={name ?? freeTreatmentName(targeting)}
        hint={name === undefined ? undefined : 'Code that compares with the old name stops working.'}
        error={errors.name}
        maxLength={100}
        spellCheck={false}
        autoCapitalize="off"
        autoFocus
      />
      <Field
        name="description"
        label="Description"
        aside={<small>optional</small>}
        defaultValue={treatment?.description ?? ''}
        maxLength={2000}
        error={errors.description}
      />
      <TextArea
        name="configurations"
        label="Configuration"
        aside={<small>optional</small>}
        face="name"
        rows={4}
        spellCheck={false}
        defaultValue={treatment?.configurations ?? ''}
        hint="JSON returned with the treatment."
        error={errors.configurations}
      />
    </FormModal>
  );
}

/** Checks the name with the server's own rule, in a copy of the definition. */
function nameProblem(targeting: Targeting, old: string | undefined, name: string): string | undefined {
  if (name === old) return undefined;
  if (name === '') return 'Enter a name.';
  if (targeting.treatments.some((treatment) => treatment.name === name)) return `A treatment ${name} already exists.`;
  const only = { ...targeting, treatments: [{ name }], rules: [], defaultRule: [] };
  const [complaint] = checkTargeting(only, { flag: '', existingFlags: new Set(), dependentFlags: new Set() });
  return complaint?.startsWith('treatments/0/name')
    ? `The name ${complaint.slice('treatments/0/name '.length)}.`
    : undefined;
}

function isJson(text: string): boolean {
  if (text.trim() === '') return true;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
