import { createLink } from '@tanstack/react-router';
import type { ComponentProps } from 'react';
import styles from './NameLink.module.css';

/** A name in a list, linked to its page. */
export const NameLink = createLink((props: Omit<ComponentProps<'a'>, 'className'>) => (
  <a {...props} className={styles.link} />
));
