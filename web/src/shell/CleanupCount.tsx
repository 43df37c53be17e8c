import { useQuery } from '@tanstack/react-query';
import { listCleanup } from '#contract/cleanup.ts';
import { reading } from '../server/api.ts';

/** Flags that look finished. The server looks at all flags for it, so it is not asked again for a while. */
export function CleanupCount({ project }: { readonly project: string }) {
  const { data } = useQuery({
    ...reading(listCleanup, { params: { project }, query: { limit: 1 } }),
    staleTime: 600_000,
    retry: false,
  });
  return data?.totalCount ? data.totalCount.toLocaleString('en') : null;
}
