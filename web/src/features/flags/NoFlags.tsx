import { useQuery } from '@tanstack/react-query';
import { createFlag } from '#contract/flags.ts';
import { listTrafficTypes } from '#contract/traffic-types.ts';
import { reading, urlOf } from '../../server/api.ts';
import { useProject } from '../../server/project.ts';
import { Button } from '../../ui/Button.tsx';
import { Command } from '../../ui/Command.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { TextLink } from '../../ui/TextLink.tsx';
import { useFlagsSearch } from './flags-query.ts';
import { NewFlag } from './NewFlag.tsx';

/** No matches, or no flags yet. */
export function NoFlags() {
  const { search, isFiltered, clear } = useFlagsSearch();
  const project = useProject();
  if (!isFiltered) return <FirstFlag />;
  return (
    <EmptyState title="No flags match" action={<Button onClick={clear}>Clear filters</Button>}>
      {search.traffic && (
        <p>
          Flags that no SDK ever evaluated are found with <b>Never</b>. If that is all of them,{' '}
          <TextLink to="/p/$project/sdks" params={{ project: project.name }}>
            connect an SDK
          </TextLink>
          .
        </p>
      )}
    </EmptyState>
  );
}

function FirstFlag() {
  const project = useProject();
  const { data } = useQuery(reading(listTrafficTypes, { params: { project: project.id } }));
  const params = { project: project.id, trafficType: data?.[0]?.name ?? 'user' };
  return (
    <EmptyState title="No flags yet" action={<NewFlag />}>
      <p>A flag starts with a name. It does nothing until you define it. With the API:</p>
      <Command
        text={`curl -X POST ${location.origin}${urlOf(createFlag, { params })} -H "Authorization: Bearer $BURGEE_KEY" -H 'Content-Type: application/json' -d '{"name": "my_first_flag"}'`}
      />
    </EmptyState>
  );
}
