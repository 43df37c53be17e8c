import { ChevronRight } from 'lucide-react';
import { useState } from 'react';
import styles from './Sample.module.css';
import { SampleCounts } from './SampleCounts.tsx';

/** Over many made-up keys: how the shares move, and how many keys switch sides. */
export function Sample() {
  const [isOpen, setOpen] = useState(false);
  return (
    <div className={styles.sample}>
      <button type="button" className={styles.toggle} aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <ChevronRight size={13} aria-hidden /> Over 10,000 sample keys
      </button>
      {isOpen && <SampleCounts />}
    </div>
  );
}
