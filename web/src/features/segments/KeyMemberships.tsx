import { useQueries } from '@tanstack/react-query';
import { listMemberships } from '#contract/segments.ts';
import { longestKey } from '#domain/segments.ts';
import { reading } from '../../server/api.ts';
import { useEnvironments, useProject } from '../../server/project.ts';
import { TextLink } from '../../ui/TextLink.tsx';
import styles from './SegmentsPage.module.css';

interface Membership {
  readonly name: string;
  readonly environment: string;
}

/** The segments that contain the searched text as a key. */
export function useMemberships(text = ''): readonly Membership[] {
  const project = useProject();
  const environments = useEnvironments();
  const answers = useQueries({
    queries: environments.map(({ id }) => ({
      ...reading(listMemberships, { params: { project: project.id, environment: id }, query: { key: text } }),
      enabled: text !== '' && text.length <= longestKey,
    })),
  });
  return environments.flatMap(({ name: environment }, index) =>
    (answers[index]?.data?.segments ?? []).map(({ name }) => ({ name, environment })),
  );
}

interface Props {
  readonly text: string;
  readonly places: readonly Membership[];
}

/** Nothing if there are none: the text may be a name. */
export function KeyMemberships({ text, places }: Props) {
  const project = useProject();
  if (places.length === 0) return null;
  return (
    <section className={styles.memberships} aria-label="Segments of the key">
      <p>
        The key <code>{text}</code> is in
      </p>
      <ul>
        {[...Map.groupBy(places, ({ name }) => name)].map(([name, found]) => (
          <li key={name}>
            <span className="mono">{name}</span> in{' '}
            {found.map(({ environment }, index) => (
              <span key={environment}>
                {index > 0 && ', '}
                <TextLink
                  to="/p/$project/segments/$segment/$environment"
                  params={{ project: project.name, segment: name, environment }}
                >
                  {environment}
                </TextLink>
              </span>
            ))}
          </li>
        ))}
      </ul>
    </section>
  );
}
