import styles from './EnvironmentHead.module.css';

interface Props {
  readonly environment: { readonly name: string; readonly production: boolean };
}

/** The head of a narrow column. Keeps the end of a long name: "Production EU" is beside "Production US". */
export function EnvironmentHead({ environment: { name, production } }: Props) {
  const end = name.search(/\s?\S{1,4}$/);
  return (
    <span className={styles.name} title={production ? `${name}, production` : name}>
      <span className={styles.start}>{name.slice(0, end)}</span>
      <span>{name.slice(end)}</span>
      {production && <span className="sr">, production</span>}
    </span>
  );
}
