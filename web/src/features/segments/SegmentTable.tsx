import { Link } from '@tanstack/react-router';
import { useContext } from 'react';
import type { SegmentKind } from '#domain/segments.ts';
import { countOf } from '../../administration/count.ts';
import { Nothing } from '../../administration/StackingTable.tsx';
import { ProdChip } from '../../kit/StatusChip.tsx';
import { useEnvironments, useProject } from '../../server/project.ts';
import { kindWords } from '../../targeting/segment-kinds.ts';
import { BreakableName } from '../../ui/BreakableName.tsx';
import { Tag } from '../../ui/Chip.tsx';
import { Table } from '../../ui/Table.tsx';
import { ShortTime } from '../../ui/Time.tsx';
import { UploadsContext, useRunningUploads } from './running-uploads.ts';
import styles from './SegmentTable.module.css';
import { Size } from './Size.tsx';
import type { SegmentAnswer } from './segments-query.ts';

/** The width of all columns except the environments. */
const leastWidth = 560;

export function SegmentTable({ segments }: { readonly segments: readonly SegmentAnswer[] }) {
  const environments = useEnvironments();
  const uploads = useRunningUploads(segments);
  return (
    <UploadsContext value={uploads}>
      <div className={styles.whole}>
        <Table
          caption="Segments"
          fixedWidth={leastWidth + environments.length * 116}
          head={
            <tr>
              <th>Name</th>
              <th className={styles.kindHead}>Kind</th>
              {environments.map(({ id, name, production }) => (
                <th key={id} className={production ? styles.production : styles.environment}>
                  <span className={styles.head}>
                    <span className={styles.headName} title={name}>
                      {name}
                    </span>
                    {production && <ProdChip />}
                  </span>
                </th>
              ))}
              <th className={styles.usedHead}>Used by</th>
              <th className={styles.changedHead}>Changed</th>
            </tr>
          }
        >
          {segments.map((segment) => (
            <SegmentRow key={segment.name} segment={segment} />
          ))}
        </Table>
      </div>
    </UploadsContext>
  );
}

function SegmentRow({ segment }: { readonly segment: SegmentAnswer }) {
  const { name, description, tags, kind = 'standard', environments: usages = [], creationTime } = segment;
  const { usedBy = { flags: 0, segments: 0 } } = segment;
  const uploads = useContext(UploadsContext);
  const project = useProject();
  const environments = useEnvironments();
  const largest = Math.max(...usages.map(({ keyCount }) => keyCount), 1);
  const changedAt = Math.max(creationTime, ...usages.map(({ lastUpdateTime = 0 }) => lastUpdateTime));
  return (
    <tr className={styles.row}>
      <th scope="row">
        <Link
          to="/p/$project/segments/$segment"
          params={{ project: project.name, segment: name }}
          className={styles.name}
        >
          <BreakableName name={name} />
        </Link>
        <span className={styles.about}>
          {description !== '' && <span className={styles.description}>{description}</span>}
          {(tags ?? []).map((tag) => (
            <Tag key={tag.name}>{tag.name}</Tag>
          ))}
        </span>
      </th>
      <td>
        <KindName kind={kind} />
      </td>
      {environments.map((environment) => (
        <td key={environment.id}>
          <span className={styles.label}>
            {environment.name} {environment.production && <ProdChip />}
          </span>
          <Size
            kind={kind}
            largest={largest}
            usage={usages.find((usage) => usage.environment.id === environment.id)}
            upload={uploads.get(`${environment.id} ${name}`)}
          />
        </td>
      ))}
      <td className={styles.usedCell}>
        <span className={styles.label}>Used by</span>
        <UsedBy {...usedBy} />
      </td>
      <td className={styles.changed}>
        <span className={styles.label}>Changed</span>
        <ShortTime at={changedAt} />
      </td>
    </tr>
  );
}

export function KindName({ kind }: { readonly kind: SegmentKind }) {
  const { name, icon: Icon } = kindWords[kind];
  return (
    <span className={styles.kind}>
      <Icon size={14} strokeWidth={1.75} aria-hidden /> {name}
    </span>
  );
}

const UsedBy = ({ flags, segments }: NonNullable<SegmentAnswer['usedBy']>) =>
  flags + segments === 0 ? (
    <Nothing words="Not used" />
  ) : (
    <span className={styles.used}>
      {flags > 0 && <span>{countOf(flags, 'flag')}</span>}
      {segments > 0 && <span className={flags > 0 ? styles.where : undefined}>{countOf(segments, 'segment')}</span>}
    </span>
  );
