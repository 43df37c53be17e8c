import { createLink } from '@tanstack/react-router';
import type { ComponentProps } from 'react';
import { buttonClass } from './Button.tsx';
import styles from './TextLink.module.css';

/** A link inside text. */
export const TextLink = createLink((props: Omit<ComponentProps<'a'>, 'className'>) => (
  <a {...props} className={styles.link} />
));

/** Goes to another page and looks like any button. */
export const PlainButtonLink = createLink((props: Omit<ComponentProps<'a'>, 'className'>) => (
  <a {...props} className={buttonClass({})} />
));

/** The main thing to do on a page, where that is another page or has an address. */
export const PrimaryButtonLink = createLink((props: Omit<ComponentProps<'a'>, 'className'>) => (
  <a {...props} className={buttonClass({ look: 'primary' })} />
));

/** The one way on from a page, as a button; it is still a link. */
export const ButtonLink = createLink((props: Omit<ComponentProps<'a'>, 'className'>) => (
  <a {...props} className={buttonClass({ look: 'primary', size: 'wide' })} />
));
