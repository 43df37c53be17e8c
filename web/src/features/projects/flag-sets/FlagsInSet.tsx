import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Nothing } from '../../../administration/StackingTable.tsx';
import { flagsInSetReading } from '../../../kit/flag-sets.ts';
import { useProject } from '../../../server/project.ts';
import { Button } from '../../../ui/Button.tsx';
import { TextLink } from '../../../ui/TextLink.tsx';
import styles from './FlagsInSet.module.css';

const maxShown = 5;

/** The flags in a set, each once with its environments. */
export function FlagsInSet({ id }: { readonly id: string }) {
  const project = useProject();
  const { data } = useQuery(flagsInSetReading(id));
  const [isWhole, setWhole] = useState(false);
  if (!data) return null;
  if (data.totalCount === 0) return <Nothing words="No flags" />;
  const flags = [...Map.groupBy(data.objects, ({ flag }) => flag.name)];
  const shown = isWhole ? flags : flags.slice(0, maxShown);
  const rest = data.totalCount - data.objects.length;
  return (
    <ul className={styles.list}>
      {shown.map(([name, places]) => (
        <li key={name}>
          <span className="mono">{name}</span>{' '}
          <span className={styles.places}>
            {places.map(({ environment }, index) => (
              <span key={environment.id}>
                {index > 0 && ', '}
                <TextLink
                  to="/p/$project/flags/$flag/$environment"
                  params={{ project: project.name, flag: name, environment: environment.name }}
                  aria-label={`${name} in ${environment.name}`}
                >
                  {environment.name}
                </TextLink>
              </span>
            ))}
          </span>
        </li>
      ))}
      {shown.length < flags.length && (
        <li>
          <Button look="link" onClick={() => setWhole(true)}>
            {flags.length - shown.length} more
          </Button>
        </li>
      )}
      {rest > 0 && shown.length === flags.length && <li className={styles.places}>and {rest} further definitions</li>}
    </ul>
  );
}
