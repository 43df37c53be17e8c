import { useRouter } from '@tanstack/react-router';
import type { MouseEvent } from 'react';

/** Navigates for the plain links in the rows of a table. Hundreds of router links would be slow. */
export function useFollow(): (event: MouseEvent) => void {
  const router = useRouter();
  return (event) => {
    const link = event.target instanceof Element ? event.target.closest('a') : null;
    if (!link || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    router.history.push(link.pathname + link.search);
  };
}
