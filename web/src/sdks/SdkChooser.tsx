import { useId } from 'react';
import styles from './SdkChooser.module.css';
import { type SdkId, sdks } from './snippets.ts';

interface Props {
  readonly offered: readonly SdkId[];
  readonly chosen: SdkId;
  readonly onChoose: (sdk: SdkId) => void;
}

/** Radio buttons: arrow keys move between them. */
export function SdkChooser({ offered, chosen, onChoose }: Props) {
  const name = useId();
  return (
    <fieldset className={styles.group}>
      <legend className={styles.legend}>SDK</legend>
      <div className={styles.sdks}>
        {offered.map((id) => (
          <label key={id} className={styles.sdk}>
            <input type="radio" className="sr" name={name} checked={id === chosen} onChange={() => onChoose(id)} />
            <span className={styles.mark} aria-hidden>
              {sdks[id].mark}
            </span>
            {sdks[id].name}
          </label>
        ))}
      </div>
    </fieldset>
  );
}
