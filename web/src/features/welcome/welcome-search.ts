/** Search parameters of Getting started. */
import { useNavigate, useSearch } from '@tanstack/react-router';
import { type SdkId, sdkIds } from '../../sdks/snippets.ts';

interface WelcomeSearch {
  readonly sdk?: string | undefined;
  /** Environment name. */
  readonly env?: string | undefined;
}

export function useWelcomeSearch() {
  const search: WelcomeSearch = useSearch({ from: '/shell/welcome' });
  const navigate = useNavigate();
  const change = (changed: WelcomeSearch) =>
    void navigate({ to: '.', search: (all: WelcomeSearch) => ({ ...all, ...changed }), replace: true });
  const sdk: SdkId = sdkIds.find((id) => id === search.sdk) ?? 'node';
  return { search, sdk, change };
}
