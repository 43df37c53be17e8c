import type { Change } from '#domain/changes.ts';
import { ProdChip } from '../kit/StatusChip.tsx';
import { Tag } from '../ui/Chip.tsx';
import { formerNameOf, useEnvironmentOf } from './environment-of.ts';

/** Where a definition was changed. What is gone has the name that it had. */
export function EnvironmentChip({ change }: { readonly change: Change }) {
  const environment = useEnvironmentOf(change);
  return (
    <>
      <Tag>{environment?.name ?? formerNameOf(change) ?? 'an environment'}</Tag>
      {environment?.production && (
        <>
          {' '}
          <ProdChip />
        </>
      )}
    </>
  );
}
