import { useQuery } from '@tanstack/react-query';
import { listEnvironments } from '#contract/environments.ts';
import type { ApiKeyType, NewApiKey } from '#domain/api-keys.ts';
import type { FieldRule } from '../../kit/form.ts';
import { ProdChip } from '../../kit/StatusChip.tsx';
import { reading } from '../../server/api.ts';
import { type Environment, inOrder, projectsReading } from '../../server/project.ts';
import { Checkbox, Choices, Radio } from '../../ui/Checkbox.tsx';
import { Select } from '../../ui/Select.tsx';

/** How far a key reaches. Keys of SDKs always reach exactly one environment. */
export interface Reach {
  readonly width: 'account' | 'project' | 'environments';
  /** Ids. */
  readonly project: string | undefined;
  readonly environments: readonly string[];
}

/** The same for the server. */
export function reachOf(type: ApiKeyType, { width, project, environments }: Reach) {
  const needsEnvironments = type !== 'admin' || width === 'environments';
  if (project === undefined || (type === 'admin' && width === 'account')) return {};
  return {
    workspace: { id: project },
    ...(needsEnvironments ? { environments: environments.map((id) => ({ id })) } : {}),
  } satisfies Partial<NewApiKey>;
}

/** Left out, the environments would mean all of them: nobody shall get that by forgetting. */
export const reachRule = (type: ApiKeyType, { width, environments }: Reach): FieldRule => ({
  check: () => {
    const isMissing = environments.length === 0 && (type !== 'admin' || width === 'environments');
    return isMissing ? 'Choose an environment.' : undefined;
  },
});

interface Props {
  readonly type: ApiKeyType;
  readonly reach: Reach;
  readonly onChange: (reach: Reach) => void;
  readonly error: string | undefined;
}

export function ReachFields({ type, reach, onChange, error }: Props) {
  const isAdmin = type === 'admin';
  const projects = useQuery(projectsReading);
  const environments = useQuery({
    ...reading(listEnvironments, { params: { project: reach.project ?? '' } }),
    enabled: reach.project !== undefined,
  });
  const offered = inOrder(environments.data ?? []);
  return (
    <>
      {isAdmin && <WidthChoices reach={reach} onChange={onChange} />}
      {(!isAdmin || reach.width !== 'account') && (
        <Select
          name="project"
          label="Project"
          value={reach.project ?? ''}
          onChange={({ target }) => onChange({ ...reach, project: target.value, environments: [] })}
        >
          {(projects.data?.objects ?? []).map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </Select>
      )}
      {isAdmin && reach.width === 'environments' && (
        <Choices label="Environments" error={error}>
          {offered.map((environment) => (
            <Checkbox
              key={environment.id}
              label={<EnvironmentName environment={environment} />}
              checked={reach.environments.includes(environment.id)}
              onChange={() => onChange({ ...reach, environments: toggled(reach.environments, environment.id) })}
            />
          ))}
        </Choices>
      )}
      {!isAdmin && (
        <Choices label="Environment" error={error}>
          {offered.map((environment) => (
            <Radio
              key={environment.id}
              name="environment"
              label={<EnvironmentName environment={environment} />}
              checked={reach.environments.length === 1 && reach.environments[0] === environment.id}
              onChange={() => onChange({ ...reach, environments: [environment.id] })}
            />
          ))}
          {environments.data?.length === 0 && <p>This project has no environments.</p>}
        </Choices>
      )}
    </>
  );
}

function WidthChoices({ reach, onChange }: Pick<Props, 'reach' | 'onChange'>) {
  const choice = (width: Reach['width'], label: string, hint: string) => (
    <Radio
      name="width"
      label={label}
      hint={hint}
      checked={reach.width === width}
      onChange={() => onChange({ ...reach, width })}
    />
  );
  return (
    <Choices label="Scope">
      {choice('account', 'The whole account', 'Every project, including future ones.')}
      {choice('project', 'One project', 'All its environments. No other project.')}
      {choice('environments', 'Some environments', 'In one project. No other environment.')}
    </Choices>
  );
}

const EnvironmentName = ({ environment }: { readonly environment: Environment }) => (
  <>
    {environment.name} {environment.production && <ProdChip />}
  </>
);

const toggled = (ids: readonly string[], id: string): string[] =>
  ids.includes(id) ? ids.filter((other) => other !== id) : [...ids, id];
