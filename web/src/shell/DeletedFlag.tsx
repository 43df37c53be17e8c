import { useQuery } from '@tanstack/react-query';
import { listChanges } from '#contract/changes.ts';
import { EditorName } from '../kit/EditorName.tsx';
import { RestoreDeleted } from '../kit/RestoreDeleted.tsx';
import { reading } from '../server/api.ts';
import type { FlagAnswer } from '../server/flag.ts';
import { useEnvironments, useProject } from '../server/project.ts';
import { useMay, useMe } from '../server/session.ts';
import { readDraft, useDrafts } from '../state/drafts.ts';
import { CopyButton } from '../ui/CopyButton.tsx';
import { EmptyState } from '../ui/EmptyState.tsx';
import { Page, PageHead } from '../ui/Page.tsx';
import { PlainButtonLink } from '../ui/TextLink.tsx';
import { Time } from '../ui/Time.tsx';

/** Someone deleted the open flag. Offers unsaved drafts for copying. */
export function DeletedFlag({ flag }: { readonly flag: FlagAnswer }) {
  const project = useProject();
  const me = useMe();
  const may = useMay();
  const { data } = useQuery({
    ...reading(listChanges, { query: { workspaceId: project.id, objectId: flag.id, objectType: 'flag', limit: 1 } }),
    enabled: may(listChanges),
  });
  const deletion = data?.data.find(({ auditLogType }) => auditLogType === 'flag.deleted');
  const drafted = useDrafts(me.user.id).get(flag.id) ?? [];
  const environments = useEnvironments().filter(({ id }) => drafted.includes(id));
  return (
    <Page>
      <PageHead title={flag.name} face="name" within={project.name} />
      <EmptyState
        title="This flag was deleted"
        action={
          <>
            <RestoreDeleted project={project.id} type="flag" object={flag} />
            <PlainButtonLink to="/p/$project/flags" params={{ project: project.name }}>
              All flags
            </PlainButtonLink>
          </>
        }
      >
        {deletion && (
          <p>
            By <EditorName editor={deletion.editor} />, <Time at={deletion.createdAt} />. Everyone gets{' '}
            <code>control</code>.
          </p>
        )}
        {environments.map(({ id, name }) => (
          <p key={id}>
            Your draft for {name} is kept:{' '}
            <CopyButton
              text={JSON.stringify(
                readDraft({ person: me.user.id, object: flag.id, environment: id })?.targeting,
                null,
                2,
              )}
              what={`the draft for ${name}`}
              shown="it as JSON"
            />
          </p>
        ))}
      </EmptyState>
    </Page>
  );
}
