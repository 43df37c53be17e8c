import type { ComponentProps, ReactNode } from 'react';
import type { ApiProblem } from '../server/api-problem.ts';
import { Failure } from './Failure.tsx';
import styles from './Form.module.css';

interface Props extends Omit<ComponentProps<'form'>, 'className'> {
  /** A problem that belongs to no field. */
  readonly problem?: ApiProblem | undefined;
  readonly actions: ReactNode;
}

export const Form = ({ problem, actions, children, ...form }: Props) => (
  <form {...form} className={styles.form}>
    {children}
    {problem && <Failure problem={problem} />}
    <div className={styles.actions}>{actions}</div>
  </form>
);
