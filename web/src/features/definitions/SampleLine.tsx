import { useDefinition } from './editor.ts';
import styles from './Sample.module.css';
import { useMovement } from './use-movement.ts';

/** One sentence about the whole change, for the review. */
export function SampleLine() {
  const { saved, trafficType } = useDefinition();
  const movement = useMovement();
  if (!saved || !movement) return null;
  const { moved, of } = movement;
  return (
    <p className={styles.words}>
      {moved === 0
        ? `Of ${of.toLocaleString('en')} sample ${trafficType} keys, none gets another treatment.`
        : `Of ${of.toLocaleString('en')} sample ${trafficType} keys, ${moved.toLocaleString('en')} get another treatment.`}
    </p>
  );
}
