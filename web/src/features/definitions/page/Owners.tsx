import { useQuery } from '@tanstack/react-query';
import { getGroup } from '#contract/groups.ts';
import { getUser } from '#contract/users.ts';
import { reading } from '../../../server/api.ts';
import { useFlag } from '../../../server/flag.ts';
import { useMay } from '../../../server/session.ts';
import { Avatar } from '../../../ui/Avatar.tsx';
import { Tooltip } from '../../../ui/Tooltip.tsx';
import styles from './Owners.module.css';

const maxShown = 4;

/** The owners' initials. */
export function Owners() {
  const { owners } = useFlag();
  if (owners.length === 0) return null;
  return (
    <ul className={styles.owners} aria-label="Owners">
      {owners.slice(0, maxShown).map(({ id, type }) => (
        <li key={id}>{type === 'user' ? <User id={id} /> : <Group id={id} />}</li>
      ))}
    </ul>
  );
}

function User({ id }: { readonly id: string }) {
  const may = useMay();
  const { data } = useQuery({
    ...reading(getUser, { params: { user: id } }),
    enabled: may(getUser),
    staleTime: 600_000,
  });
  return data ? <Named name={data.name} /> : null;
}

function Group({ id }: { readonly id: string }) {
  const may = useMay();
  const { data } = useQuery({
    ...reading(getGroup, { params: { group: id } }),
    enabled: may(getGroup),
    staleTime: 600_000,
  });
  return data ? <Named name={data.name} /> : null;
}

const Named = ({ name }: { readonly name: string }) => (
  <Tooltip text={name}>
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the name is also shown on focus */}
    <span className={styles.owner} tabIndex={0}>
      <Avatar name={name} size="small" />
      <span className="sr">{name}</span>
    </span>
  </Tooltip>
);
