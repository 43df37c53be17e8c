import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { listFlags } from '#contract/flags.ts';
import { countOf } from '../../administration/count.ts';
import { Loaded } from '../../kit/Loaded.tsx';
import { SearchField } from '../../kit/SearchField.tsx';
import { reading } from '../../server/api.ts';
import { useProject } from '../../server/project.ts';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { CrumbLink, Page, PageHead } from '../../ui/Page.tsx';
import { SkeletonRows } from '../../ui/Skeleton.tsx';
import { Table } from '../../ui/Table.tsx';
import { TextLink } from '../../ui/TextLink.tsx';
import { Time } from '../../ui/Time.tsx';

/** The server's page size. */
const limit = 50;

/** Archived flags, which the list of flags leaves out. Their pages unarchive them. */
export function ArchivedFlagsPage() {
  const project = useProject();
  const [name, setName] = useState('');
  const query = useQuery(
    reading(listFlags, {
      params: { project: project.id },
      query: { archived: 'true', name: name || undefined, limit },
    }),
  );
  const params = { project: project.name };
  return (
    <Page width="narrow">
      <PageHead
        title="Archived flags"
        within={project.name}
        crumbs={
          <CrumbLink to="/p/$project/flags" params={params}>
            Flags
          </CrumbLink>
        }
        lead="SDKs do not receive them. Their names, definitions and buckets are kept."
      />
      <SearchField label="Find by name" value={name} onSearch={setName} />
      <Loaded query={query} skeleton={<SkeletonRows />}>
        {({ objects, totalCount }) =>
          objects.length === 0 ? (
            <EmptyState title={name === '' ? 'No archived flags' : `No archived flag contains ${name}`} />
          ) : (
            <>
              <Table
                caption="Archived flags"
                head={
                  <tr>
                    <th>Name</th>
                    <th>Archived</th>
                  </tr>
                }
              >
                {objects.map((flag) => (
                  <tr key={flag.id}>
                    <td>
                      <TextLink to="/p/$project/flags/$flag" params={{ ...params, flag: flag.name }}>
                        <span className="mono">{flag.name}</span>
                      </TextLink>
                    </td>
                    <td>
                      <Time at={flag.archivedAt ?? 0} />
                    </td>
                  </tr>
                ))}
              </Table>
              {totalCount > limit && (
                <p>
                  The first {limit} of {countOf(totalCount, 'flag')}. Search to find the others.
                </p>
              )}
            </>
          )
        }
      </Loaded>
    </Page>
  );
}
