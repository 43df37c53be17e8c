import { useEffect, useRef } from 'react';
import { BreakableName } from './BreakableName.tsx';
import styles from './PageTitle.module.css';
import { titleAppeared } from './title-focus.ts';

interface Props {
  /** `name` is for identifiers. */
  readonly face?: 'text' | 'name' | undefined;
  /** Context, in the document title only. */
  readonly within?: string | undefined;
  readonly children: string;
}

/** The h1 of a page and the document title. Takes the focus on navigation. */
export function PageTitle({ face = 'text', within, children }: Props) {
  const title = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (title.current) titleAppeared(title.current);
  }, []);
  useEffect(() => {
    document.title = [children, within, 'Burgee'].filter(Boolean).join(' · ');
  }, [children, within]);
  return (
    <h1 ref={title} className={`${styles.title} ${styles[face]}`} tabIndex={-1}>
      {face === 'name' ? <BreakableName name={children} /> : children}
    </h1>
  );
}
