import { createLink } from '@tanstack/react-router';
import type { ComponentProps } from 'react';
import { buttonClass } from './Button.tsx';
import styles from './TextLink.module.css';

/** A link inside text. */
export const TextLink = createLink((props: Omit<ComponentProps<'a'>, 'className'>) => (
  <a {...props} className={styles.link} />
));

/** A link that looks like a button. */
export const PlainButtonLink = createLink((props: Omit<ComponentProps<'a'>, 'className'>) => (
  <a {...props} className={buttonClass({})} />
));

/** A link that looks like a primary button. */
export const PrimaryButtonLink = createLink((props: Omit<ComponentProps<'a'>, 'className'>) => (
  <a {...props} className={buttonClass({ look: 'primary' })} />
));

/** A wide button link: the only way forward from a page. */
export const ButtonLink = createLink((props: Omit<ComponentProps<'a'>, 'className'>) => (
  <a {...props} className={buttonClass({ look: 'primary', size: 'wide' })} />
));
