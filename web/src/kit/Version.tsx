import { useQuery } from '@tanstack/react-query';
import styles from './Version.module.css';

/** The version of the server, not of the page, which may be older. */
export function Version() {
  const { data } = useQuery({ queryKey: ['/health'], queryFn: askVersion, staleTime: 600_000 });
  return data === undefined ? null : <p className={styles.version}>Burgee {data}</p>;
}

async function askVersion(): Promise<string> {
  const health = (await (await fetch('/health')).json()) as { readonly version: string };
  return health.version;
}
