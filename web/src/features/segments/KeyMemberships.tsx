import { useQueries } from '@tanstack/react-query';
import { listMemberships } from '#contract/segments.ts';
import { longestKey } from '#domain/segments.ts';
import { reading } from '../../server/api.ts';
import { useEnvironments, useProject } from '../../server/project.ts';
import { TextLink } from '../../ui/TextLink.tsx';
import styles from './SegmentsPage.module.css';

/** The segments that contain the searched word as a key. Nothing if there are none: it may be a name. */
export function KeyMemberships({ word }: { readonly word: string }) {
  const project = useProject();
  const environments = useEnvironments();
  const answers = useQueries({
    queries: environments.map(({ id }) => ({
      ...reading(listMemberships, { params: { project: project.id, environment: id }, query: { key: word } }),
      enabled: word.length <= longestKey,
    })),
  });
  const places = environments.flatMap(({ name: environment }, index) =>
    (answers[index]?.data?.segments ?? []).map(({ name }) => ({ name, environment })),
  );
  if (places.length === 0) return null;
  return (
    <section className={styles.memberships} aria-label="Segments of the key">
      <p>
        The key <code>{word}</code> is in
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
