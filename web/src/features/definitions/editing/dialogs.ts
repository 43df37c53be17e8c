/** The dialogs of the flag page have addresses: `?review`, `?kill`, `?copy=Production`. The back button closes them. */
import { useNavigate, useSearch } from '@tanstack/react-router';

const names = [
  'review',
  'kill',
  'restore',
  'copy',
  'paste',
  'remove',
  'duplicate',
  'archive',
  'unarchive',
  'kill-all',
] as const;
export type DialogName = (typeof names)[number];

export function useDialogs() {
  const search: Readonly<Record<string, string | undefined>> = useSearch({ strict: false });
  const navigate = useNavigate();
  return {
    /** The parameter's value, which may be empty. Undefined: closed. */
    askedFor: (name: DialogName): string | undefined => search[name],
    isAnyAsked: names.some((name) => search[name] !== undefined),
    open: (name: DialogName, value = '') => void navigate({ to: '.', search: { [name]: value } }),
    close: () => void navigate({ to: '.', search: {}, replace: true }),
  };
}
