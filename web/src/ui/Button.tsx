import type { ComponentProps } from 'react';
import styles from './Button.module.css';

export type Look = 'primary' | 'plain' | 'quiet' | 'danger' | 'danger-fill' | 'link';

interface Appearance {
  readonly look?: Look | undefined;
  readonly size?: 'normal' | 'small' | 'icon' | 'tiny' | 'wide' | undefined;
}

export const buttonClass = ({ look = 'plain', size = 'normal' }: Appearance): string =>
  [styles.button, styles[look], styles[size]].filter(Boolean).join(' ');

type Props = Omit<ComponentProps<'button'>, 'className'> &
  Appearance & {
    /** The action is running. The button keeps the focus, which a disabled one would lose. */
    readonly isBusy?: boolean;
  };

export function Button({ look, size, isBusy = false, type = 'button', onClick, ...rest }: Props) {
  return (
    <button
      {...rest}
      type={type}
      className={buttonClass({ look, size })}
      aria-disabled={isBusy || undefined}
      onClick={isBusy ? ignore : onClick}
    />
  );
}

const ignore = (event: { preventDefault(): void }) => event.preventDefault();
