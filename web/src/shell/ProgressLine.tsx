import { useIsFetching, useIsMutating } from '@tanstack/react-query';
import { useRouterState } from '@tanstack/react-router';
import styles from './ProgressLine.module.css';

/** A line at the top while something that nobody has seen yet is on its way. What is only read again does not count. */
export function ProgressLine() {
  const isGoing = useRouterState({ select: ({ isLoading }) => isLoading });
  const reading = useIsFetching({ predicate: ({ state }) => state.data === undefined });
  const changing = useIsMutating();
  return <div className={styles.line} hidden={!isGoing && reading + changing === 0} />;
}
