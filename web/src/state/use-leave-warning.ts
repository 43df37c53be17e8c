import { useEffect } from 'react';

/** Makes the browser ask before the tab closes, which would lose the draft. Navigation inside the app keeps it. */
export function useLeaveWarning(hasDraft: boolean): void {
  useEffect(() => {
    if (!hasDraft) return;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener('beforeunload', ask);
    return () => removeEventListener('beforeunload', ask);
  }, [hasDraft]);
}
