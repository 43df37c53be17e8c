/** Flags that depend on another flag, and so change when it is killed, removed or deleted. */
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { getDefinition } from '#contract/definitions.ts';
import { listDependents } from '#contract/flags.ts';
import { type Need, needsIn } from '#domain/definitions/conditions.ts';
import type { Dependent } from '#domain/flags.ts';
import { reading } from '../server/api.ts';
import { useProject } from '../server/project.ts';
import { TextLink } from '../ui/TextLink.tsx';
import styles from './Dependents.module.css';

export const needWords = ({ rule, negate, treatments }: Need): string =>
  `rule ${rule + 1} needs ${negate ? 'not ' : ''}${treatments.join(' or ')}`;

/** The server's page size. */
const maxDependents = 200;
const shown = 8;

export const dependentsReading = (project: string, flag: string, environmentId?: string) =>
  reading(listDependents, {
    params: { project, flag },
    query: { limit: maxDependents, ...(environmentId === undefined ? {} : { environmentId }) },
  });

interface Props {
  readonly flag: string;
  /** The environment of the change; undefined for all. */
  readonly environmentId?: string | undefined;
  /** What the change means for the dependent flags. */
  readonly children: ReactNode;
}

/** Warns about flags that depend on this one, if any. */
export function DependentsWarning({ flag, environmentId, children }: Props) {
  const project = useProject();
  const { data, isError } = useQuery(dependentsReading(project.id, flag, environmentId));
  if (isError) return <p className={styles.about}>Could not check which flags depend on this one.</p>;
  const dependents = data?.objects ?? [];
  // In one environment each flag is listed once.
  const count =
    environmentId === undefined ? new Set(dependents.map((one) => one.flag.id)).size : (data?.totalCount ?? 0);
  if (count === 0) return null;
  return (
    <section className={styles.box} aria-label="Dependent flags">
      <p className={styles.title}>{count === 1 ? '1 flag depends on this one' : `${count} flags depend on this one`}</p>
      <DependentList dependents={dependents} needed={environmentId === undefined ? undefined : flag} />
      <p className={styles.about}>{children}</p>
    </section>
  );
}

interface ListProps {
  readonly dependents: readonly Dependent[];
  /** The flag they depend on, to say in one environment which rules need what of it. */
  readonly needed?: string | undefined;
}

/** Each flag once, with its environments or with its rules. */
export function DependentList({ dependents, needed }: ListProps) {
  const project = useProject();
  const flags = [...Map.groupBy(dependents, ({ flag }) => flag.name)];
  return (
    <ul className={styles.list}>
      {flags.slice(0, shown).map(([name, places]) => (
        <li key={name} className={styles.flag}>
          <TextLink
            to="/p/$project/flags/$flag/$environment"
            params={{ project: project.name, flag: name, environment: places[0]?.environment.name ?? '' }}
          >
            <span className="mono">{name}</span>
          </TextLink>
          <span className={styles.where}>
            {needed !== undefined && places[0] ? (
              <Needs needed={needed} dependent={places[0]} />
            ) : (
              places.map(({ environment }) => environment.name).join(', ')
            )}
          </span>
        </li>
      ))}
      {flags.length > shown && <li className={styles.where}>and {flags.length - shown} more</li>}
    </ul>
  );
}

/** "rule 2 needs on or compact". */
function Needs({ needed, dependent }: { readonly needed: string; readonly dependent: Dependent }) {
  const params = { project: useProject().id, flag: dependent.flag.name, environment: dependent.environment.id };
  const { data } = useQuery(reading(getDefinition, { params }));
  return data ? needsIn(data.rules, needed).map(needWords).join(', ') : dependent.environment.name;
}
