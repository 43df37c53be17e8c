import { useEffect } from 'react';

/** Closing the tab would lose the draft, so the browser asks. Other pages of the interface keep it. */
export function useLeaveWarning(hasDraft: boolean): void {
  useEffect(() => {
    if (!hasDraft) return;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener('beforeunload', ask);
    return () => removeEventListener('beforeunload', ask);
  }, [hasDraft]);
}
