import { useEffect } from 'react';
import styles from './PageTitle.module.css';

/** The one h1 of a page, and the title of the document. It takes the focus when the page is gone to. */
export function PageTitle({ children }: { readonly children: string }) {
  useEffect(() => {
    document.title = `${children} · Burgee`;
  }, [children]);
  return (
    <h1 className={styles.title} tabIndex={-1}>
      {children}
    </h1>
  );
}
