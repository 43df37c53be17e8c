import { createLink } from '@tanstack/react-router';
import { type ComponentProps, type KeyboardEvent, type ReactNode, useRef } from 'react';
import styles from './Tabs.module.css';

interface Tab<Id extends string> {
  readonly id: Id;
  readonly label: ReactNode;
}

interface Props<Id extends string> {
  readonly label: string;
  readonly tabs: readonly Tab<Id>[];
  readonly selected: Id;
  readonly onSelect: (id: Id) => void;
  /** The id of the element they control, which should have role="tabpanel". */
  readonly controls?: string;
}

/** Views on one page. Arrow keys move between them. For views with their own address, use TabLinks. */
export function Tabs<Id extends string>({ label, tabs, selected, onSelect, controls }: Props<Id>) {
  const list = useRef<HTMLDivElement>(null);
  const at = tabs.findIndex(({ id }) => id === selected);
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowLeft: -1, Home: -at, End: tabs.length - 1 - at }[event.key];
    const next = step === undefined ? undefined : tabs[(at + step + tabs.length) % tabs.length];
    if (!next) return;
    event.preventDefault();
    onSelect(next.id);
    list.current?.querySelectorAll<HTMLElement>('[role="tab"]')[tabs.indexOf(next)]?.focus();
  };
  return (
    <div ref={list} role="tablist" aria-label={label} tabIndex={-1} className={styles.tabs} onKeyDown={onKeyDown}>
      {tabs.map((tab) => (
        <button
          key={tab.id}
          type="button"
          role="tab"
          aria-selected={tab.id === selected}
          aria-controls={controls}
          tabIndex={tab.id === selected ? 0 : -1}
          className={styles.tab}
          onClick={() => onSelect(tab.id)}
        >
          {tab.label}
        </button>
      ))}
    </div>
  );
}

interface TabLinksProps {
  readonly label: string;
  /** A list of TabLink. */
  readonly children: ReactNode;
}

/** Tabs for views with their own addresses. */
export const TabLinks = ({ label, children }: TabLinksProps) => (
  <nav aria-label={label} className={styles.tabs}>
    {children}
  </nav>
);

/** How many things the view has. Read out as part of the tab's name. */
export const TabCount = ({ count, most }: { readonly count: number; readonly most: number }) => (
  <span className={styles.count}>{count >= most ? `${most.toLocaleString('en')}+` : count}</span>
);

interface TabLinkProps extends Omit<ComponentProps<'a'>, 'className'> {
  /** If the page knows better than the router, which compares the address. */
  readonly isCurrent?: boolean;
}

export const TabLink = createLink(({ isCurrent, ...props }: TabLinkProps) => (
  <a
    {...props}
    {...(isCurrent !== undefined && { 'aria-current': isCurrent ? 'page' : undefined })}
    className={styles.tab}
  />
));
