/** Forms: validated before sending; server complaints go to the field they concern. */
import { useMutation } from '@tanstack/react-query';
import { type KeyboardEvent, type SubmitEvent, type SyntheticEvent, useEffect, useRef, useState } from 'react';
import { type ApiProblem, complaintsOf } from '../server/api-problem.ts';

type Check = (value: string, input: HTMLInputElement | undefined) => string | undefined;

export interface FieldRule {
  /** Why the value is invalid, as a sentence. */
  readonly check?: Check;
  /** The message below the field for a server complaint that concerns it. */
  readonly claim?: (complaint: string, problem: ApiProblem) => string | undefined;
}

type Values<Name extends string> = Readonly<Record<Name, string>>;
type Errors<Name extends string> = { readonly [N in Name]?: string | undefined };

export interface FormOptions<Name extends string, Answer> {
  readonly rules: Readonly<Record<Name, FieldRule>>;
  readonly send: (values: Values<Name>) => Promise<Answer>;
  readonly onDone: (answer: Answer, values: Values<Name>) => unknown;
  /** Returns true if the page handles the problem itself. */
  readonly onProblem?: (problem: ApiProblem, values: Values<Name>) => boolean;
}

export function useForm<Name extends string, Answer>(options: FormOptions<Name, Answer>) {
  const { rules, send, onDone, onProblem } = options;
  const form = useRef<HTMLFormElement>(null);
  const [errors, setErrors] = useState<Errors<Name>>({});
  const [problem, setProblem] = useState<ApiProblem>();
  const [refusals, setRefusals] = useState(0);
  const refuse = (found: Errors<Name>) => {
    setErrors(found);
    setRefusals((before) => before + 1);
  };
  const mutation = useMutation<Answer, ApiProblem, Values<Name>>({
    mutationFn: send,
    onSuccess: onDone,
    onError: (refusal, values) => {
      if (onProblem?.(refusal, values)) return;
      const claimed = claimedBy(rules, refusal);
      refuse(claimed);
      setProblem(isEmpty(claimed) ? refusal : undefined);
    },
  });

  // Not on every change of errors: they clear while typing, and the focus must stay.
  useEffect(() => {
    if (refusals > 0) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [refusals]);

  const onSubmit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (mutation.isPending) return;
    const { values, wrong } = readFields(rules, event.currentTarget);
    refuse(wrong);
    setProblem(undefined);
    if (isEmpty(wrong)) mutation.mutate(values);
  };
  const onInput = ({ target }: SyntheticEvent) => {
    const { name } = target as HTMLInputElement;
    setErrors((before) => (name in before ? { ...before, [name]: undefined } : before));
  };

  const onKeyDown = (event: KeyboardEvent<HTMLFormElement>) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) event.currentTarget.requestSubmit();
  };

  return {
    /** Props for the form element. `noValidate` suppresses the browser's own messages. */
    form: { ref: form, onSubmit, onInput, onKeyDown, noValidate: true },
    errors,
    /** A problem that no field claimed. */
    problem,
    isSending: mutation.isPending,
  };
}

const isEmpty = (object: object): boolean => Object.keys(object).length === 0;

function readFields<Name extends string>(rules: Readonly<Record<Name, FieldRule>>, form: HTMLFormElement) {
  const data = new FormData(form);
  const values: Partial<Record<Name, string>> = {};
  const wrong: { [N in Name]?: string } = {};
  for (const name of Object.keys(rules) as Name[]) {
    const value = String(data.get(name) ?? '');
    const input = form.elements.namedItem(name);
    const error = rules[name].check?.(value, input instanceof HTMLInputElement ? input : undefined);
    values[name] = value;
    if (error !== undefined) wrong[name] = error;
  }
  return { values: values as Values<Name>, wrong: wrong as Errors<Name> };
}

/** Each complaint goes to the first field that claims it. */
function claimedBy<Name extends string>(rules: Readonly<Record<Name, FieldRule>>, problem: ApiProblem): Errors<Name> {
  const claimed: { [N in Name]?: string } = {};
  for (const complaint of complaintsOf(problem)) {
    for (const name of Object.keys(rules) as Name[]) {
      const words = rules[name].claim?.(complaint, problem);
      if (words === undefined) continue;
      claimed[name] ??= words;
      break;
    }
  }
  return claimed;
}
