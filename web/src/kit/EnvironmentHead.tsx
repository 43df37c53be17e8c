import styles from './EnvironmentHead.module.css';

interface Props {
  readonly environment: { readonly name: string; readonly production: boolean };
  readonly className: string | undefined;
  readonly isChosen?: boolean;
}

/** Names up to this many characters fit. */
const fitting = 9;

/** The head of a narrow column. Keeps the end of a long name: "Production EU" is beside "Production US". */
export function EnvironmentHead({ environment: { name, production }, className, isChosen = false }: Props) {
  const end = name.length <= fitting ? 0 : name.search(/\s?\S{1,4}$/);
  const words = production ? `${name}, production` : name;
  return (
    // Without a label, the two parts would be read as two words.
    <th
      role="columnheader"
      className={className}
      title={words}
      aria-label={words}
      data-chosen={isChosen || undefined}
      data-production={production || undefined}
    >
      <span className={styles.name}>
        {end > 0 && <span className={styles.start}>{name.slice(0, end)}</span>}
        {name.slice(end)}
      </span>
    </th>
  );
}
