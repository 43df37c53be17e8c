import { useQueries, useQuery } from '@tanstack/react-query';
import { Flag, Users } from 'lucide-react';
import { getDefinition } from '#contract/definitions.ts';
import { needsIn, segmentsIn } from '#domain/definitions/conditions.ts';
import { dependenciesOf, segmentsOf, type Targeting } from '#domain/definitions/definition.ts';
import { dependentsReading, needWords } from '../../kit/Dependents.tsx';
import { reading } from '../../server/api.ts';
import { ApiProblem } from '../../server/api-problem.ts';
import { flagReading, useFlag } from '../../server/flag.ts';
import { useProject } from '../../server/project.ts';
import { useKnownSegments } from '../../targeting/known-segments.ts';
import { Card } from '../../ui/Card.tsx';
import { TextLink } from '../../ui/TextLink.tsx';
import styles from './Relations.module.css';

interface Relation {
  readonly kind: 'flag' | 'segment';
  readonly name: string;
  /** The first one, to link to. */
  readonly environment: string;
  /** "Staging: rule 2". */
  readonly words: string;
  /** A rule names it, but it does not exist. */
  readonly isBroken: boolean;
}

/** More would not fit a picture, or would need too many requests. */
const maxDrawn = 12;

/** What the flag depends on and what depends on it, in all environments. */
export function Relations() {
  const { name } = useFlag();
  const needs = useNeeds();
  const users = useUsers();
  if (needs.length + users.length === 0) {
    return <Card title="Relations" lead="This flag depends on no flag or segment, and no flag depends on it." />;
  }
  const rows = Math.min(maxDrawn, Math.max(needs.length, users.length));
  return (
    <Card title="Relations" lead="What this flag depends on and what uses it, in all environments.">
      <div className={styles.graph}>
        <Side title={`Depends on ${needs.length}`} relations={needs} />
        <Edges relations={needs} rows={rows} />
        <p className={styles.self}>
          <Flag size={14} aria-hidden /> <span className="mono">{name}</span>
        </p>
        <Edges relations={users} rows={rows} isMirrored />
        <Side title={users.length === 1 ? 'Used by 1 flag' : `Used by ${users.length} flags`} relations={users} />
      </div>
    </Card>
  );
}

function useNeeds(): Relation[] {
  const project = useProject();
  const { definitions } = useFlag();
  const flags = [...new Set(definitions.flatMap(dependenciesOf))];
  const segments = [...new Set(definitions.flatMap(segmentsOf))];
  const answers = useQueries({
    queries: flags.map((flag) => ({ ...flagReading(project.id, flag), refetchInterval: false as const })),
  });
  // Whether a segment exists does not depend on the environment.
  const { known } = useKnownSegments(definitions[0]?.environment.id ?? '', segments);
  const relation = (kind: Relation['kind'], name: string, isBroken: boolean): Relation => {
    const places = definitions.flatMap((definition) => {
      const uses = usesOf(definition, kind, name);
      return uses.length === 0 ? [] : [{ environment: definition.environment.name, uses }];
    });
    const words = places.map(({ environment, uses }) => `${environment}: ${uses.join(', ')}`).join('; ');
    return { kind, name, environment: places[0]?.environment ?? '', words, isBroken };
  };
  return [
    ...flags.map((flag, index) => {
      const { error } = answers[index] ?? {};
      return relation('flag', flag, error instanceof ApiProblem && error.status === 404);
    }),
    ...segments.map((segment) => relation('segment', segment, known.get(segment) === 'missing')),
  ];
}

/** "rule 2", "targets". */
function usesOf({ rules, treatments }: Targeting, kind: Relation['kind'], name: string): string[] {
  const inRules = rules.flatMap((rule, index) => {
    const isUsed = kind === 'flag' ? needsIn([rule], name).length > 0 : segmentsIn([rule]).includes(name);
    return isUsed ? [`rule ${index + 1}`] : [];
  });
  const isTarget = kind === 'segment' && treatments.some(({ segments = [] }) => segments.includes(name));
  return isTarget ? ['targets', ...inRules] : inRules;
}

function useUsers(): Relation[] {
  const project = useProject();
  const { name } = useFlag();
  const { data } = useQuery(dependentsReading(project.id, name));
  const byFlag = [...Map.groupBy(data?.objects ?? [], ({ flag }) => flag.name)];
  const asked = byFlag.slice(0, maxDrawn).flatMap(([, places]) => places[0] ?? []);
  const definitions = useQueries({
    queries: asked.map(({ flag, environment }) =>
      reading(getDefinition, { params: { project: project.id, flag: flag.name, environment: environment.id } }),
    ),
  });
  return byFlag.map(([flag, places], index) => {
    const [first, ...others] = places.map(({ environment }) => environment.name);
    const needs = needsIn(definitions[index]?.data?.rules ?? [], name).map(needWords);
    const more = others.length === 0 ? '' : `; also ${others.join(', ')}`;
    return {
      kind: 'flag',
      name: flag,
      environment: first ?? '',
      words: `${first}${needs.length === 0 ? '' : `: ${needs.join(', ')}`}${more}`,
      isBroken: false,
    };
  });
}

function Side({ title, relations }: { readonly title: string; readonly relations: readonly Relation[] }) {
  const project = useProject();
  const more = relations.length - maxDrawn;
  return (
    <section aria-label={title}>
      <h3 className={styles.title}>{title}</h3>
      <ul>
        {relations.slice(0, maxDrawn).map(({ kind, name, environment, words, isBroken }) => (
          <li key={`${kind} ${name}`} className={isBroken ? `${styles.node} ${styles.broken}` : styles.node}>
            {kind === 'flag' ? <Flag size={14} aria-hidden /> : <Users size={14} aria-hidden />}
            <div className={styles.words}>
              <span className="mono">
                {isBroken ? (
                  <s>{name}</s>
                ) : kind === 'flag' ? (
                  <TextLink
                    to="/p/$project/flags/$flag/$environment"
                    params={{ project: project.name, flag: name, environment }}
                  >
                    {name}
                  </TextLink>
                ) : (
                  <TextLink
                    to="/p/$project/segments/$segment/$environment"
                    params={{ project: project.name, segment: name, environment }}
                  >
                    {name}
                  </TextLink>
                )}
              </span>
              <small title={words}>{isBroken ? `No longer exists. ${words}` : words}</small>
            </div>
          </li>
        ))}
      </ul>
      {more > 0 && <p className={styles.title}>and {more} more</p>}
    </section>
  );
}

interface EdgesProps {
  readonly relations: readonly Relation[];
  readonly rows: number;
  /** From the flag to the right. */
  readonly isMirrored?: boolean;
}

/** One unit for each row; nodes of the shorter side are at the top, too. */
function Edges({ relations, rows, isMirrored = false }: EdgesProps) {
  return (
    <svg
      className={isMirrored ? `${styles.edges} ${styles.mirrored}` : styles.edges}
      viewBox={`0 0 100 ${rows}`}
      preserveAspectRatio="none"
      aria-hidden
    >
      {relations.slice(0, maxDrawn).map(({ kind, name, isBroken }, index) => (
        <path
          key={`${kind} ${name}`}
          className={isBroken ? styles.brokenEdge : undefined}
          d={`M0,${index + 0.5} C50,${index + 0.5} 50,${rows / 2} 100,${rows / 2}`}
        />
      ))}
    </svg>
  );
}
