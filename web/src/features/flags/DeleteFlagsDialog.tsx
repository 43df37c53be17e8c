import { useQueries } from '@tanstack/react-query';
import { deleteDefinition } from '#contract/definitions.ts';
import { deleteFlag } from '#contract/flags.ts';
import { CodeWarning, useNamedByCode } from '../../kit/CodeReferences.tsx';
import { DependentList, dependentsReading } from '../../kit/Dependents.tsx';
import { FormModal } from '../../kit/FormModal.tsx';
import { useForm } from '../../kit/form.ts';
import { NoteFields, noteOf, noteRules } from '../../kit/NoteFields.tsx';
import { ProdChip } from '../../kit/StatusChip.tsx';
import { call } from '../../server/api.ts';
import { type Environment, needsApproval, useEnvironments, useProject } from '../../server/project.ts';
import { useWhyNot } from '../../server/rights.ts';
import { Field } from '../../ui/Field.tsx';
import { BulkProgress } from './BulkReport.tsx';
import styles from './DeleteFlagsDialog.module.css';
import { useEachFlag } from './each-flag.ts';

interface Deletable {
  readonly owners: readonly { readonly id: string }[];
  readonly definitions?: readonly { readonly environment: { readonly id: string } }[] | undefined;
}

/** Its definitions are deleted too, which needs the right to edit each of them. */
export function useWhyNotDelete(): (flag: Deletable) => string | undefined {
  const whyNot = useWhyNot();
  const guarded = useEnvironments().filter((environment) => needsApproval(environment));
  return ({ owners, definitions = [] }) => {
    const at = guarded.find(({ id }) => definitions.some(({ environment }) => environment.id === id));
    return (
      whyNot(deleteFlag, { owners }) ??
      definitions
        .map(({ environment }) => whyNot(deleteDefinition, { owners, environment: environment.id }))
        .find(Boolean) ??
      (at && `Changes in ${at.name} need an approval. Propose to remove the definition there first.`)
    );
  };
}

interface Doomed {
  readonly name: string;
  /** Environments where it is defined. */
  readonly environments: readonly Environment[];
}

interface Props {
  readonly flags: readonly Doomed[];
  readonly onClose: () => void;
  readonly onDone: () => void;
}

const maxShown = 8;

/** Lists what will be deleted. Flags that are defined in production or that code names must be confirmed by typing. */
export function DeleteFlagsDialog({ flags, onClose, onDone }: Props) {
  const project = useProject();
  const isRequired = project.requiresTitleAndComments;
  const eachFlag = useEachFlag();
  const word = flags.length === 1 ? (flags[0]?.name ?? '') : `delete ${flags.length} flags`;
  const isInProduction = flags.some(({ environments }) => environments.some(({ production }) => production));
  const isInCode = useNamedByCode(flags.map(({ name }) => name)).length > 0;
  const mustType = isInProduction || isInCode;
  const { form, errors, problem, isSending } = useForm({
    rules: {
      word: { check: (value) => (!mustType || value.trim() === word ? undefined : `Type ${word}`) },
      ...noteRules(isRequired),
    },
    send: ({ title, comment }) =>
      eachFlag(
        flags,
        ({ name }) =>
          call(deleteFlag, { params: { project: project.id, flag: name }, query: noteOf({ title, comment }) }),
        (what) => `Deleted ${what}.`,
      ),
    onDone: () => {
      onClose();
      onDone();
    },
  });
  const what = flags.length === 1 ? 'flag' : `${flags.length} flags`;
  const dependents = useDependentsOf(flags);
  return (
    <FormModal
      title={flags.length === 1 ? `Delete ${flags[0]?.name}?` : `Delete ${flags.length} flags?`}
      about={`This also deletes ${flags.length === 1 ? 'its' : 'their'} definitions in every environment. To keep the name and the definitions, archive ${flags.length === 1 ? 'it' : 'them'} instead. Deleted flags can be restored from Activity.`}
      kind="alert"
      form={form}
      problem={problem}
      isSending={isSending}
      submit={`Delete ${what}`}
      look="danger-fill"
      onClose={onClose}
    >
      <ul className={styles.list}>
        {flags.slice(0, maxShown).map((flag) => (
          <li key={flag.name} className={styles.flag}>
            <span className={styles.name}>{flag.name}</span>
            <span className={styles.where}>
              {flag.environments.length === 0 && 'Defined nowhere'}
              {flag.environments.map(({ id, name, production }) => (
                <span key={id} className={styles.environment}>
                  {name} {production && <ProdChip />}
                </span>
              ))}
            </span>
          </li>
        ))}
        {flags.length > maxShown && <li className={styles.where}>and {flags.length - maxShown} more</li>}
      </ul>
      {dependents.length > 0 && (
        <section aria-label="Dependent flags" className={styles.dependents}>
          <p>
            <b>Other flags depend on {flags.length === 1 ? 'it' : 'them'}.</b> Their rules see <code>control</code> for
            everyone from then on. The pages of those flags mark these rules.
          </p>
          <DependentList dependents={dependents} />
        </section>
      )}
      {flags.length > maxAsked && <p>Burgee lists dependent flags only for up to {maxAsked} flags at once.</p>}
      <CodeWarning flags={flags.map(({ name }) => name)} />
      {mustType && (
        <Field
          name="word"
          label={`Type ${word} to confirm`}
          face="name"
          autoComplete="off"
          spellCheck={false}
          hint={whyTyped(flags.length === 1, isInProduction)}
          error={errors.word}
          autoFocus
        />
      )}
      {isRequired && <NoteFields isRequired title={`Delete ${word.replace(/^delete /, '')}`} errors={errors} />}
      <BulkProgress />
    </FormModal>
  );
}

const whyTyped = (isOne: boolean, isInProduction: boolean): string => {
  if (isInProduction) return isOne ? 'It is defined in production.' : 'Some of them are defined in production.';
  return isOne ? 'Code still names it.' : 'Code still names some of them.';
};

/** Each takes a request. */
const maxAsked = 50;

/** Flags that depend on these, except those that are deleted too. */
function useDependentsOf(flags: readonly Doomed[]) {
  const project = useProject();
  const asked = flags.length <= maxAsked ? flags : [];
  const answers = useQueries({ queries: asked.map(({ name }) => dependentsReading(project.id, name)) });
  const doomed = new Set(flags.map(({ name }) => name));
  return answers.flatMap(({ data }) => data?.objects ?? []).filter(({ flag }) => !doomed.has(flag.name));
}
