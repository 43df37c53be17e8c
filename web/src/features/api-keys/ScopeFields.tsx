import { useQuery } from '@tanstack/react-query';
import type { ApiKeyType, NewApiKey } from '#domain/api-keys.ts';
import type { FieldRule } from '../../kit/form.ts';
import { ProdChip } from '../../kit/StatusChip.tsx';
import { type Environment, environmentsReading, projectsReading } from '../../server/project.ts';
import { Checkbox, Choices, Radio } from '../../ui/Checkbox.tsx';
import { Select } from '../../ui/Select.tsx';

/** The scope of a key. SDK keys always have exactly one environment. */
export interface Scope {
  readonly width: 'account' | 'project' | 'environments';
  /** Ids. */
  readonly project: string | undefined;
  readonly environments: readonly string[];
}

/** The scope as the API takes it. */
export function scopeOf(type: ApiKeyType, { width, project, environments }: Scope) {
  const needsEnvironments = type !== 'admin' || width === 'environments';
  if (project === undefined || (type === 'admin' && width === 'account')) return {};
  return {
    workspace: { id: project },
    ...(needsEnvironments ? { environments: environments.map((id) => ({ id })) } : {}),
  } satisfies Partial<NewApiKey>;
}

/** No environments would mean all of them, so an empty choice is an error. */
export const scopeRule = (type: ApiKeyType, { width, environments }: Scope): FieldRule => ({
  check: () => {
    const isMissing = environments.length === 0 && (type !== 'admin' || width === 'environments');
    return isMissing ? 'Choose an environment.' : undefined;
  },
});

interface Props {
  readonly type: ApiKeyType;
  readonly scope: Scope;
  readonly onChange: (scope: Scope) => void;
  readonly error: string | undefined;
}

export function ScopeFields({ type, scope, onChange, error }: Props) {
  const isAdmin = type === 'admin';
  const projects = useQuery(projectsReading);
  const environments = useQuery({
    ...environmentsReading(scope.project ?? ''),
    enabled: scope.project !== undefined,
  });
  const offered = environments.data ?? [];
  return (
    <>
      {isAdmin && <WidthChoices scope={scope} onChange={onChange} />}
      {(!isAdmin || scope.width !== 'account') && (
        <Select
          name="project"
          label="Project"
          value={scope.project ?? ''}
          onChange={({ target }) => onChange({ ...scope, project: target.value, environments: [] })}
        >
          {(projects.data?.objects ?? []).map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </Select>
      )}
      {isAdmin && scope.width === 'environments' && (
        <Choices label="Environments" error={error}>
          {offered.map((environment) => (
            <Checkbox
              key={environment.id}
              label={<EnvironmentName environment={environment} />}
              checked={scope.environments.includes(environment.id)}
              onChange={() => onChange({ ...scope, environments: toggled(scope.environments, environment.id) })}
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
              checked={scope.environments.length === 1 && scope.environments[0] === environment.id}
              onChange={() => onChange({ ...scope, environments: [environment.id] })}
            />
          ))}
          {environments.data?.length === 0 && <p>This project has no environments.</p>}
        </Choices>
      )}
    </>
  );
}

function WidthChoices({ scope, onChange }: Pick<Props, 'scope' | 'onChange'>) {
  const choice = (width: Scope['width'], label: string, hint: string) => (
    <Radio
      name="width"
      label={label}
      hint={hint}
      checked={scope.width === width}
      onChange={() => onChange({ ...scope, width })}
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
