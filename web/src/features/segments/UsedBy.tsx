import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { getDefinition } from '#contract/definitions.ts';
import { listSegmentUsers } from '#contract/segments.ts';
import { segmentsIn } from '#domain/definitions/conditions.ts';
import type { Targeting } from '#domain/definitions/definition.ts';
import type { SegmentUser } from '#domain/segments.ts';
import { countOf } from '../../administration/count.ts';
import { Bar } from '../../kit/Bar.tsx';
import { Loaded } from '../../kit/Loaded.tsx';
import { sharesInWords } from '../../kit/treatments.ts';
import { reading } from '../../server/api.ts';
import { type Environment, useProject } from '../../server/project.ts';
import { Button } from '../../ui/Button.tsx';
import { TextLink } from '../../ui/TextLink.tsx';
import styles from './SegmentPage.module.css';

/** In all environments; the server sends at most 200. */
export const usersReading = (project: string, segment: string) =>
  reading(listSegmentUsers, { params: { project, anySegment: segment }, query: { limit: 200 } });

interface Props {
  readonly segment: string;
  /** Linked to, if the segment is used there. */
  readonly environment: Environment;
}

/** The flags and segments that name the segment, each once with its environments. */
export function UsedBy(place: Props) {
  const query = useQuery(usersReading(useProject().id, place.segment));
  return (
    <section className={styles.part} aria-labelledby="used-by">
      <h2 id="used-by">Used by</h2>
      <Loaded query={query}>
        {({ objects, totalCount }) =>
          objects.length === 0 ? (
            <p className={styles.quiet}>Not used by any flag or segment.</p>
          ) : (
            <>
              <Users title="Flags" users={objects.filter(({ kind }) => kind === 'flag')} {...place} />
              <Users title="Segments" users={objects.filter(({ kind }) => kind === 'segment')} {...place} />
              <p className={styles.quiet}>
                {totalCount > objects.length && `${countOf(totalCount - objects.length, 'further use')}. `}A segment in
                use cannot be deleted.
              </p>
            </>
          )
        }
      </Loaded>
    </section>
  );
}

interface UsersProps extends Props {
  readonly title: string;
  readonly users: readonly SegmentUser[];
}

/** More are behind a button. */
const shown = 5;

/** Those of the environment of the page first. */
function Users({ title, users, segment, environment }: UsersProps) {
  const [isWhole, setWhole] = useState(false);
  const byName = [...Map.groupBy(users, ({ name }) => name).values()];
  const isHere = (places: readonly SegmentUser[]) => places.some((one) => one.environment.id === environment.id);
  const sorted = [...byName.filter(isHere), ...byName.filter((places) => !isHere(places))];
  if (sorted.length === 0) return null;
  return (
    <>
      <h3 className={styles.subtitle}>
        {title} <span className={styles.quiet}>{sorted.length}</span>
      </h3>
      <ul className={styles.list}>
        {sorted.slice(0, isWhole ? undefined : shown).map((places) => (
          <li key={places[0]?.name} className={styles.item}>
            <User places={places} segment={segment} environment={environment} />
          </li>
        ))}
      </ul>
      {!isWhole && sorted.length > shown && (
        <div>
          <Button size="small" onClick={() => setWhole(true)}>
            Show {sorted.length - shown} more
          </Button>
        </div>
      )}
    </>
  );
}

interface UserProps extends Props {
  readonly places: readonly SegmentUser[];
}

function User({ places, segment, environment }: UserProps) {
  const project = useProject();
  const place = places.find((one) => one.environment.id === environment.id) ?? places[0];
  if (!place) return null;
  const params = { project: project.name, environment: place.environment.name };
  const name = <span className="mono">{place.name}</span>;
  return (
    <>
      {place.kind === 'flag' ? (
        <>
          <TextLink to="/p/$project/flags/$flag/$environment" params={{ ...params, flag: place.name }}>
            {name}
          </TextLink>
          {place.environment.id === environment.id && (
            <Use flag={place.name} segment={segment} environment={environment} />
          )}
        </>
      ) : (
        <TextLink to="/p/$project/segments/$segment/$environment" params={{ ...params, segment: place.name }}>
          {name}
        </TextLink>
      )}
      <span className={styles.quiet}>In {places.map((one) => one.environment.name).join(', ')}</span>
    </>
  );
}

/** Where the flag names the segment in the environment, and what its keys get there. */
function Use({ flag, segment, environment }: Props & { readonly flag: string }) {
  const params = { project: useProject().id, flag, environment: environment.id };
  const { data } = useQuery(reading(getDefinition, { params }));
  const use = data && findUse(data, segment);
  if (!use) return null;
  const order = data.treatments.map(({ name }) => name);
  return (
    <>
      <span className={styles.use}>
        <span>{use.where}</span> <span className="num">{sharesInWords(use.buckets)}</span>
      </span>
      <Bar buckets={use.buckets} order={order} isFaded={data.killed} label="" />
    </>
  );
}

/** The first place that names the segment: targets come before rules. */
function findUse({ treatments, rules }: Pick<Targeting, 'treatments' | 'rules'>, segment: string) {
  const treatment = treatments.find(({ segments = [] }) => segments.includes(segment));
  if (treatment) return { where: 'Individual targets', buckets: [{ treatment: treatment.name, size: 100 }] };
  const index = rules.findIndex((rule) => segmentsIn([rule]).includes(segment));
  const rule = rules[index];
  return rule && { where: `Rule ${index + 1}`, buckets: rule.buckets };
}
