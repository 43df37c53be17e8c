import { createLink } from '@tanstack/react-router';
import type { LucideIcon } from 'lucide-react';
import {
  type ComponentProps,
  createContext,
  type KeyboardEvent,
  type MouseEvent,
  type ReactNode,
  useContext,
  useEffect,
  useRef,
} from 'react';
import styles from './Menu.module.css';
import { Popover, type TriggerProps } from './Popover.tsx';

const CloseContext = createContext<() => void>(() => undefined);

interface Props {
  readonly trigger: (props: TriggerProps) => ReactNode;
  readonly label: string;
  readonly align?: 'start' | 'end' | undefined;
  /** MenuItem, MenuLink, MenuLine. */
  readonly children: ReactNode;
}

/** A button that opens a list of actions. Arrow keys, Home, End and first letters move the focus; Enter activates. */
export const Menu = ({ trigger, label, align = 'end', children }: Props) => (
  <Popover trigger={trigger} label={label} haspopup="menu" align={align}>
    {(close) => (
      <CloseContext value={close}>
        <MenuList label={label}>{children}</MenuList>
      </CloseContext>
    )}
  </Popover>
);

function MenuList({ label, children }: Pick<Props, 'label' | 'children'>) {
  const list = useRef<HTMLDivElement>(null);
  const close = useContext(CloseContext);
  const items = () => [...(list.current?.querySelectorAll<HTMLElement>('[role^="menuitem"]') ?? [])];
  useEffect(() => list.current?.querySelector<HTMLElement>('[role^="menuitem"]')?.focus(), []);

  const onKeyDown = (event: KeyboardEvent) => {
    const all = items();
    const at = all.indexOf(document.activeElement as HTMLElement);
    const target = targetOf(event, all, at);
    if (target) {
      event.preventDefault();
      target.focus();
    } else if (event.key === 'Tab') close();
  };
  const onClick = ({ target }: MouseEvent) => {
    if (target instanceof Element && target.closest('a')) close();
  };
  return (
    <div
      ref={list}
      role="menu"
      aria-label={label}
      tabIndex={-1}
      className={styles.menu}
      onKeyDown={onKeyDown}
      onClick={onClick}
    >
      {children}
    </div>
  );
}

function targetOf({ key, ctrlKey, metaKey }: KeyboardEvent, all: readonly HTMLElement[], at: number) {
  if (key === 'ArrowDown') return all[(at + 1) % all.length];
  if (key === 'ArrowUp') return all.at((at <= 0 ? all.length : at) - 1);
  if (key === 'Home') return all[0];
  if (key === 'End') return all.at(-1);
  if (key.length !== 1 || key === ' ' || ctrlKey || metaKey) return undefined;
  const startsHere = (item: HTMLElement) => item.textContent.trim().toLowerCase().startsWith(key.toLowerCase());
  return [...all.slice(at + 1), ...all.slice(0, at + 1)].find(startsHere);
}

interface ItemProps {
  readonly icon?: LucideIcon;
  readonly look?: 'plain' | 'danger';
  /** For one of several choices: whether it is selected. */
  readonly checked?: boolean;
  /** Why it is unavailable; shown below the label. */
  readonly refusal?: string | undefined;
  readonly onSelect: () => void;
  readonly children: ReactNode;
}

export function MenuItem({ icon: Icon, look = 'plain', checked, refusal, onSelect, children }: ItemProps) {
  const close = useContext(CloseContext);
  const select = () => {
    if (refusal !== undefined) return;
    // Returns the focus to the button first, so that a dialog opened now can restore it.
    close();
    onSelect();
  };
  return (
    <button
      type="button"
      {...(checked === undefined ? { role: 'menuitem' } : { role: 'menuitemradio', 'aria-checked': checked })}
      aria-disabled={refusal === undefined ? undefined : true}
      tabIndex={-1}
      className={`${styles.item} ${styles[look]}`}
      onClick={select}
    >
      {Icon && <Icon size={15} strokeWidth={1.75} aria-hidden />}
      <span className={styles.words}>
        {children}
        {refusal !== undefined && <span className={styles.refusal}>{refusal}</span>}
      </span>
      {checked && <span className={styles.tick} aria-hidden />}
    </button>
  );
}

type AnchorProps = Omit<ComponentProps<'a'>, 'className'> & { readonly icon?: LucideIcon };

const MenuAnchor = ({ icon: Icon, children, ...anchor }: AnchorProps) => (
  <a {...anchor} role="menuitem" tabIndex={-1} className={styles.item}>
    {Icon && <Icon size={15} strokeWidth={1.75} aria-hidden />}
    <span className={styles.words}>{children}</span>
  </a>
);

/** A link to another page: `<MenuLink to="/me">`. */
export const MenuLink = createLink(MenuAnchor);

// biome-ignore lint/a11y/useSemanticElements: the same role, without the margins of hr
export const MenuLine = () => <div role="separator" className={styles.line} />;
