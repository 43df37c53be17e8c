import type { ComponentProps } from 'react';
import styles from './Button.module.css';
import { Tooltip } from './Tooltip.tsx';

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
    /** Why it is unavailable. The button can still be focused, which shows the reason. */
    readonly refusal?: string | undefined;
  };

export function Button({ look, size, isBusy = false, refusal, type = 'button', onClick, ...rest }: Props) {
  const isRefused = refusal !== undefined;
  const button = (
    <button
      {...rest}
      type={type}
      className={buttonClass({ look, size })}
      aria-busy={isBusy || undefined}
      aria-disabled={isBusy || isRefused || undefined}
      onClick={isBusy || isRefused ? ignore : onClick}
    />
  );
  return isRefused ? <Tooltip text={refusal}>{button}</Tooltip> : button;
}

const ignore = (event: { preventDefault(): void }) => event.preventDefault();
