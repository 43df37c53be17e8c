import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { listFlags } from '#contract/flags.ts';
import { prefix } from '#contract/parts.ts';
import { createProject } from '#contract/projects.ts';
import { getServer } from '#contract/server.ts';
import type { Project } from '#domain/projects.ts';
import { CopyableId } from '../../administration/CopyableId.tsx';
import { Fact, Facts } from '../../administration/Facts.tsx';
import { NameLink } from '../../administration/NameLink.tsx';
import { Nothing, RowName, StackingTable } from '../../administration/StackingTable.tsx';
import { Denied } from '../../kit/Denied.tsx';
import { Loaded } from '../../kit/Loaded.tsx';
import { reading } from '../../server/api.ts';
import { environmentsReading, projectsReading } from '../../server/project.ts';
import { useMay } from '../../server/session.ts';
import { usePageActions } from '../../state/page-actions.ts';
import { Button } from '../../ui/Button.tsx';
import { Card } from '../../ui/Card.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { Page, PageHead } from '../../ui/Page.tsx';
import { SkeletonRows } from '../../ui/Skeleton.tsx';
import { PlainButtonLink, TextLink } from '../../ui/TextLink.tsx';
import { NewProjectDialog } from './NewProjectDialog.tsx';
import { ServerCards } from './ServerCards.tsx';
import styles from './ServerSettingsPage.module.css';
import { TableCard } from './TableCard.tsx';

/** Settings of the whole installation: projects, API, how people sign in, and how the server is. */
export function ServerSettingsPage() {
  const may = useMay();
  const search = useSearch({ from: '/shell/admin/settings' });
  const navigate = useNavigate();
  const projects = useQuery(projectsReading);
  const open = () => void navigate({ to: '.', search: { new: '' } });
  const close = () => void navigate({ to: '.', search: {}, replace: true });
  usePageActions(
    may(createProject) ? [{ label: 'New project', keys: 'n', icon: Plus, opensField: true, run: open }] : [],
  );
  if (!may(createProject)) return <Denied title="Server settings" />;
  return (
    <Page>
      <PageHead title="Server settings" />
      <TableCard
        title="Projects"
        lead="A project holds the flags and environments of a product."
        tools={
          <Button look="primary" onClick={open}>
            New project
          </Button>
        }
      >
        <Loaded query={projects} skeleton={<SkeletonRows rows={3} />}>
          {({ objects }) => (objects.length === 0 ? <NoProjects onNew={open} /> : <ProjectTable projects={objects} />)}
        </Loaded>
      </TableCard>
      <ImportCard />
      <ApiCard />
      {may(getServer) && <ServerCards />}
      {search.new !== undefined && <NewProjectDialog onClose={close} />}
    </Page>
  );
}

const NoProjects = ({ onNew }: { readonly onNew: () => void }) => (
  <EmptyState title="No project yet" action={<Button onClick={onNew}>New project</Button>}>
    Flags live in projects. Most teams start with one.
  </EmptyState>
);

const ProjectTable = ({ projects }: { readonly projects: readonly Project[] }) => (
  <StackingTable
    caption="Projects"
    head={
      <tr>
        <th>Name</th>
        <th>Flags</th>
        <th>Environments</th>
        <th>Title and comment</th>
        <th>
          <span className="sr">Actions</span>
        </th>
      </tr>
    }
  >
    {projects.map((project) => (
      <ProjectRow key={project.id} project={project} />
    ))}
  </StackingTable>
);

function ProjectRow({ project }: { readonly project: Project }) {
  const byId = { project: project.id };
  const flags = useQuery(reading(listFlags, { params: byId, query: { limit: 1 } })).data?.totalCount;
  const environments = useQuery(environmentsReading(project.id)).data;
  const params = { project: project.name };
  return (
    <tr>
      <th scope="row">
        <RowName>
          <NameLink to="/p/$project/flags" params={params}>
            {project.name}
          </NameLink>
        </RowName>
      </th>
      <td data-label="Flags">{flags !== undefined && <span className="num">{flags.toLocaleString('en')}</span>}</td>
      <td data-label="Environments">
        {environments && <EnvironmentNames names={environments.map(({ name }) => name)} />}
      </td>
      <td data-label="Title, comment">
        {project.requiresTitleAndComments ? <span>Required</span> : <Nothing words="Optional" />}
      </td>
      <td data-tools>
        <TextLink to="/p/$project/settings" params={params} aria-label={`Settings for ${project.name}`}>
          Settings
        </TextLink>
      </td>
    </tr>
  );
}

const EnvironmentNames = ({ names }: { readonly names: readonly string[] }) =>
  names.length === 0 ? <Nothing words="None" /> : <span>{names.join(', ')}</span>;

const ImportCard = () => (
  <Card
    title="Import"
    lead="Move in from Split, Harness FME, another Burgee, LaunchDarkly or Unleash. It plans first, and proves that every user keeps their treatment."
  >
    <div>
      <PlainButtonLink to="/admin/settings/import">Import</PlainButtonLink>
    </div>
  </Card>
);

function ApiCard() {
  const address = location.origin + prefix;
  return (
    <Card title="API" lead="Manage flags, people and projects from your own programs, with an API key.">
      <Facts>
        <Fact name="Address">
          <CopyableId id={address} what="address" />
        </Fact>
        <Fact name="Reference">
          <a href="/docs" className={styles.link}>
            Read about and try every call
          </a>
        </Fact>
      </Facts>
    </Card>
  );
}
