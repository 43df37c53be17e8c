import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { ArrowDown, ArrowUp, Ellipsis, GripVertical, Pencil, Plus, Trash } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { listApiKeys } from '#contract/api-keys.ts';
import { createEnvironment, moveEnvironment } from '#contract/environments.ts';
import { getProjectAccess } from '#contract/restrictions.ts';
import type { EnvironmentAccess } from '#domain/rights.ts';
import { CopyableId } from '../../administration/CopyableId.tsx';
import { countOf, listed } from '../../administration/count.ts';
import { NameLink } from '../../administration/NameLink.tsx';
import { Nothing, StackingTable } from '../../administration/StackingTable.tsx';
import { askSentence, useAdministrators } from '../../kit/Denied.tsx';
import { explain } from '../../kit/explain.ts';
import { ProdChip } from '../../kit/StatusChip.tsx';
import { instancesInWords, useSdks } from '../../sdks/connected.ts';
import { call, reading } from '../../server/api.ts';
import type { ApiProblem } from '../../server/api-problem.ts';
import { type Environment, environmentsReading, useEnvironments, useProject } from '../../server/project.ts';
import { useMay } from '../../server/session.ts';
import { usePageActions } from '../../state/page-actions.ts';
import { toastFailure } from '../../state/toasts.ts';
import { Button } from '../../ui/Button.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { Menu, MenuItem, MenuLine } from '../../ui/Menu.tsx';
import { Page, PageHead } from '../../ui/Page.tsx';
import { useDrag } from '../../ui/use-drag.ts';
import { DeleteEnvironmentDialog } from './DeleteEnvironmentDialog.tsx';
import { EditEnvironmentDialog } from './EditEnvironmentDialog.tsx';
import styles from './EnvironmentsPage.module.css';
import { useDefinitionsIn, useKeysOf } from './environment-changes.ts';
import { NewEnvironmentDialog } from './NewEnvironmentDialog.tsx';

/** Lists, creates, edits and deletes environments. */
export function EnvironmentsPage() {
  const project = useProject();
  const environments = useEnvironments();
  const may = useMay();
  const people = useAdministrators();
  const search = useSearch({ from: '/shell/p/$project/environments' });
  const navigate = useNavigate();
  const open = () => void navigate({ to: '.', search: { new: '' } });
  const close = () => void navigate({ to: '.', search: {}, replace: true });
  usePageActions(
    may(createEnvironment) ? [{ label: 'New environment', keys: 'n', icon: Plus, opensField: true, run: open }] : [],
  );
  return (
    <Page>
      <PageHead
        title="Environments"
        within={project.name}
        lead={
          may(createEnvironment)
            ? 'Each flag has a separate definition in each environment. Pages list environments in this order; the flag list shows production first.'
            : `Only administrators can change environments. ${askSentence(people)}`
        }
        tools={
          may(createEnvironment) && (
            <Button look="primary" onClick={open}>
              New environment
            </Button>
          )
        }
      />
      {environments.length === 0 ? (
        <EmptyState
          title="No environments yet"
          action={may(createEnvironment) && <Button onClick={open}>New environment</Button>}
        >
          Most projects have two: one for testing, and production.
        </EmptyState>
      ) : (
        <EnvironmentTable environments={environments} />
      )}
      {search.new !== undefined && may(createEnvironment) && <NewEnvironmentDialog onClose={close} />}
    </Page>
  );
}

function EnvironmentTable({ environments }: { readonly environments: readonly Environment[] }) {
  const may = useMay();
  const order = useOrder(environments);
  const drag = useDrag('tr[data-environment]', order.move);
  return (
    <>
      <StackingTable
        caption="Environments"
        head={
          <tr>
            <th>Name</th>
            <th>Flags defined</th>
            <th>Connected SDKs</th>
            <th>Can edit</th>
            <th>Can kill and restore</th>
            {may(listApiKeys) && <th>API keys</th>}
            <th>Id</th>
            {may(createEnvironment) && (
              <th>
                <span className="sr">Actions</span>
              </th>
            )}
          </tr>
        }
      >
        {environments.map((environment, index) => (
          <tr key={environment.id} data-environment={environment.id} data-drop={drag.dropAt(index)}>
            <th scope="row">
              <span className={styles.name}>
                {may(moveEnvironment) && environments.length > 1 && (
                  <button
                    type="button"
                    className={styles.handle}
                    aria-label={`${environment.name}: drag, or press Alt and an arrow key, to move`}
                    aria-keyshortcuts="Alt+ArrowUp Alt+ArrowDown"
                    onPointerDown={(event) => drag.begin(event, index)}
                    onKeyDown={(event) => {
                      const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
                      if (!event.altKey || step === undefined) return;
                      event.preventDefault();
                      order.move(index, index + step);
                    }}
                  >
                    <GripVertical size={15} aria-hidden />
                  </button>
                )}
                {environment.name}
                {environment.production && <ProdChip />}
              </span>
            </th>
            <td data-label="Flags defined">
              <DefinitionCount environment={environment} />
            </td>
            <td data-label="SDKs">
              <SdkCount environment={environment} />
            </td>
            <td data-label="Can edit">
              <AccessLink environment={environment} words={editorsOf} />
            </td>
            <td data-label="Can kill">
              <AccessLink environment={environment} words={killersOf} />
            </td>
            {may(listApiKeys) && (
              <td data-label="API keys">
                <KeyCount environment={environment} />
              </td>
            )}
            <td data-label="Id" className={styles.id}>
              <CopyableId id={environment.id} what={`id of ${environment.name}`} />
            </td>
            {may(createEnvironment) && (
              <td data-tools>
                <EnvironmentMenu
                  environment={environment}
                  onUp={index > 0 ? () => order.move(index, index - 1) : undefined}
                  onDown={index < environments.length - 1 ? () => order.move(index, index + 1) : undefined}
                />
              </td>
            )}
          </tr>
        ))}
      </StackingTable>
      <p role="status" className="sr">
        {order.said}
      </p>
    </>
  );
}

/** Moves environments. A move appears at once, and is taken back if the server refuses it. */
function useOrder(environments: readonly Environment[]) {
  const project = useProject();
  const client = useQueryClient();
  const { queryKey } = environmentsReading(project.id);
  const [said, say] = useState('');
  const moved = useRef<string>(undefined);
  // A row that React puts elsewhere loses the focus.
  useEffect(() => {
    if (moved.current === undefined) return;
    document.querySelector<HTMLElement>(`tr[data-environment="${moved.current}"] button`)?.focus();
    moved.current = undefined;
  });
  const move = (from: number, to: number) => {
    const environment = environments[from];
    if (!environment || from === to || to < 0 || to >= environments.length) return;
    const others = environments.toSpliced(from, 1);
    const params = { project: project.id, environment: environment.id };
    moved.current = environment.id;
    client.setQueryData(queryKey, others.toSpliced(to, 0, environment));
    say(`${environment.name} is now ${to + 1} of ${environments.length}.`);
    call(moveEnvironment, { params, body: { before: others[to]?.id ?? null } })
      .then((order) => client.setQueryData(queryKey, order))
      .catch((problem: ApiProblem) => {
        toastFailure(`${environment.name} was not moved. ${explain(problem)}`);
        return client.invalidateQueries({ queryKey });
      });
  };
  return { move, said };
}

interface OneProps {
  readonly environment: Environment;
}

function DefinitionCount({ environment }: OneProps) {
  const total = useDefinitionsIn(environment).data?.totalCount;
  if (total === undefined) return null;
  return total === 0 ? <Nothing words="None" /> : <span className="num">{total.toLocaleString('en')}</span>;
}

const askAgainMs = 10_000;

function SdkCount({ environment }: OneProps) {
  const live = useSdks({ project: useProject().id, environment: environment.id }, askAgainMs);
  if (!live) return null;
  return live.connected + live.clients === 0 ? (
    <Nothing words="None" />
  ) : (
    <span className="num">{instancesInWords(live)}</span>
  );
}

function KeyCount({ environment }: OneProps) {
  const project = useProject();
  const keys = useKeysOf(environment);
  if (keys === undefined) return null;
  if (keys.length === 0) return <Nothing words="None" />;
  return (
    <NameLink to="/admin/api-keys" search={{ project: project.name, env: environment.name }}>
      {countOf(keys.length, 'key')}
    </NameLink>
  );
}

interface AccessProps extends OneProps {
  readonly words: (access: EnvironmentAccess) => string;
}

/** Who can do something in the environment, linked to where that is set. */
function AccessLink({ environment, words }: AccessProps) {
  const project = useProject();
  const { data } = useQuery(reading(getProjectAccess, { params: { project: project.id } }));
  const access = data?.environments.find(({ id }) => id === environment.id);
  if (!access) return null;
  return (
    <NameLink to="/p/$project/settings/access" params={{ project: project.name }}>
      {words(access)}
    </NameLink>
  );
}

function editorsOf({ editors: { restricted, grantees } }: EnvironmentAccess): string {
  if (!restricted) return 'Everyone who can edit the project';
  return grantees.length === 0 ? 'Only administrators' : listed(grantees.map(({ name }) => name));
}

const killersOf = ({ killers }: EnvironmentAccess): string =>
  listed(['Everyone who can edit here', ...killers.map(({ name }) => name)]);

interface MenuProps extends OneProps {
  /** Absent for the first. */
  readonly onUp: (() => void) | undefined;
  /** Absent for the last. */
  readonly onDown: (() => void) | undefined;
}

function EnvironmentMenu({ environment, onUp, onDown }: MenuProps) {
  const [open, setOpen] = useState<'edit' | 'delete'>();
  const close = () => setOpen(undefined);
  return (
    <>
      <Menu
        label={`More about ${environment.name}`}
        trigger={(trigger) => (
          <Button look="quiet" size="icon" aria-label={`More about ${environment.name}`} {...trigger}>
            <Ellipsis size={15} aria-hidden />
          </Button>
        )}
      >
        <MenuItem icon={Pencil} onSelect={() => setOpen('edit')}>
          Edit
        </MenuItem>
        {onUp && (
          <MenuItem icon={ArrowUp} onSelect={onUp}>
            Move up
          </MenuItem>
        )}
        {onDown && (
          <MenuItem icon={ArrowDown} onSelect={onDown}>
            Move down
          </MenuItem>
        )}
        <MenuLine />
        <MenuItem icon={Trash} look="danger" onSelect={() => setOpen('delete')}>
          Delete
        </MenuItem>
      </Menu>
      {open === 'edit' && <EditEnvironmentDialog environment={environment} onClose={close} />}
      {open === 'delete' && <DeleteEnvironmentDialog environment={environment} onClose={close} />}
    </>
  );
}
