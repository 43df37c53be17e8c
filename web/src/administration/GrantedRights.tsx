/** The access lists that name a group, a person or an API key. */
import { useQuery } from '@tanstack/react-query';
import { listGrantedRights } from '#contract/rights.ts';
import type { GrantedRight, NamedGrantee } from '#domain/rights.ts';
import box from '../kit/Dependents.module.css';
import { Loaded } from '../kit/Loaded.tsx';
import { reading } from '../server/api.ts';
import { Card } from '../ui/Card.tsx';
import { TextLink } from '../ui/TextLink.tsx';
import { countOf } from './count.ts';
import styles from './GrantedRights.module.css';

const maxShown = listGrantedRights.pageSize.max;

const rightsReading = ({ type, id }: NamedGrantee) =>
  reading(listGrantedRights, { query: { type, id, limit: maxShown } });

/** Warns that a deletion removes rights, and where only administrators remain. */
export function LostRights({ grantee }: { readonly grantee: NamedGrantee }) {
  const { data, isError } = useQuery(rightsReading(grantee));
  if (isError) return <p className={box.about}>Could not check which access lists name it.</p>;
  if (!data || data.totalCount === 0) return null;
  return (
    <section className={box.box} aria-label="Access lists">
      <p className={box.title}>Removed from {countOf(data.totalCount, 'access list')}</p>
      <Rights rights={data.objects} total={data.totalCount} isEnding />
    </section>
  );
}

/** Where a group is listed, on its page. */
export function GrantedRightsCard({ grantee }: { readonly grantee: NamedGrantee }) {
  const query = useQuery(rightsReading(grantee));
  return (
    <Card title="Access" lead="What its members can do because an access list names this group.">
      <Loaded query={query}>
        {({ objects, totalCount }) =>
          totalCount === 0 ? (
            <p className={box.about}>No access list names it.</p>
          ) : (
            <Rights rights={objects} total={totalCount} />
          )
        }
      </Loaded>
    </Card>
  );
}

interface Props {
  readonly rights: readonly GrantedRight[];
  readonly total: number;
  /** They are about to end. */
  readonly isEnding?: boolean;
}

const Rights = ({ rights, total, isEnding = false }: Props) => (
  <ul className={box.list}>
    {rights.map((one) => (
      <li key={`${one.project.id} ${one.environment?.id} ${one.right}`} className={styles.right}>
        {words[one.right]}{' '}
        {isEnding ? (
          placeOf(one)
        ) : (
          <TextLink to="/p/$project/settings/access" params={{ project: one.project.name }}>
            {placeOf(one)}
          </TextLink>
        )}
        {isEnding && one.alone && <span className={styles.alone}>{aloneWords[one.right]}</span>}
      </li>
    ))}
    {total > rights.length && <li>and {countOf(total - rights.length, 'more', 'more')}</li>}
  </ul>
);

const words = {
  view: 'Can view',
  edit: 'Can edit',
  define: 'Can edit definitions in',
  kill: 'Can kill and restore in',
} as const satisfies Record<GrantedRight['right'], string>;

const placeOf = ({ project, environment }: GrantedRight): string =>
  environment ? `${environment.name} of ${project.name}` : project.name;

const aloneWords = {
  view: 'Nobody else is listed: then only administrators can see this project.',
  edit: 'Nobody else is listed: then only administrators can edit this project.',
  define: 'Nobody else is listed: then only administrators can edit definitions there.',
  kill: 'Nobody else is listed: then only those who can edit there can kill and restore.',
} as const satisfies Record<GrantedRight['right'], string>;
