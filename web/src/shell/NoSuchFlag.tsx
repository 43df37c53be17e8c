import { useQuery } from '@tanstack/react-query';
import { listFlags } from '#contract/flags.ts';
import { reading } from '../server/api.ts';
import { useProject } from '../server/project.ts';
import { EmptyState } from '../ui/EmptyState.tsx';
import { Page, PageHead } from '../ui/Page.tsx';
import { PlainButtonLink, TextLink } from '../ui/TextLink.tsx';

/** The flag does not exist. Suggests flags with similar names. */
export function NoSuchFlag({ nameOrId }: { readonly nameOrId: string }) {
  const project = useProject();
  const similar = useQuery(
    reading(listFlags, { params: { project: project.id }, query: { name: nameOrId.slice(0, 4), limit: 5 } }),
  );
  const params = { project: project.name };
  return (
    <Page>
      <PageHead title="No such flag" within={project.name} />
      <EmptyState
        title={`No flag ${nameOrId} in ${project.name}`}
        action={
          <PlainButtonLink to="/p/$project/flags" params={params}>
            All flags
          </PlainButtonLink>
        }
      >
        <p>It was deleted, or the name is misspelled.</p>
        {similar.data && similar.data.objects.length > 0 && (
          <p>
            Did you mean{' '}
            {similar.data.objects.map(({ name }, index) => (
              <span key={name}>
                {index > 0 && ', '}
                <TextLink to="/p/$project/flags/$flag" params={{ ...params, flag: name }}>
                  <span className="mono">{name}</span>
                </TextLink>
              </span>
            ))}
            ?
          </p>
        )}
      </EmptyState>
    </Page>
  );
}
