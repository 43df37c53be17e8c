import { useQuery } from '@tanstack/react-query';
import { listSegmentUsers } from '#contract/segments.ts';
import type { SegmentUser } from '#domain/segments.ts';
import { countOf } from '../../administration/count.ts';
import { Loaded } from '../../kit/Loaded.tsx';
import { reading } from '../../server/api.ts';
import { type Environment, useProject } from '../../server/project.ts';
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
export function UsedBy({ segment, environment }: Props) {
  const query = useQuery(usersReading(useProject().id, segment));
  return (
    <section className={styles.part} aria-labelledby="used-by">
      <h2 id="used-by">Used by</h2>
      <Loaded query={query}>
        {({ objects, totalCount }) =>
          objects.length === 0 ? (
            <p className={styles.quiet}>No flag and no segment names it.</p>
          ) : (
            <>
              <ul className={styles.list}>
                {[...Map.groupBy(objects, ({ kind, name }) => `${kind} ${name}`)].map(([id, places]) => (
                  <li key={id} className={styles.item}>
                    <User places={places} environment={environment} />
                  </li>
                ))}
              </ul>
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

function User({ places, environment }: { readonly places: readonly SegmentUser[]; readonly environment: Environment }) {
  const project = useProject();
  const place = places.find((one) => one.environment.id === environment.id) ?? places[0];
  if (!place) return null;
  const params = { project: project.name, environment: place.environment.name };
  return (
    <>
      {place.kind === 'flag' ? (
        <TextLink to="/p/$project/flags/$flag/$environment" params={{ ...params, flag: place.name }}>
          <span className="mono">{place.name}</span>
        </TextLink>
      ) : (
        <TextLink to="/p/$project/segments/$segment/$environment" params={{ ...params, segment: place.name }}>
          <span className="mono">{place.name}</span>
        </TextLink>
      )}
      <span className={styles.quiet}>
        {place.kind === 'flag' ? 'Flag' : 'Segment'} in {places.map((one) => one.environment.name).join(', ')}
      </span>
    </>
  );
}
