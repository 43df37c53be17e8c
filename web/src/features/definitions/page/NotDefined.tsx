import { useQuery } from '@tanstack/react-query';
import { Braces, Copy, type LucideIcon, Plus } from 'lucide-react';
import type { ReactNode } from 'react';
import { listChanges } from '#contract/changes.ts';
import { copyParts } from '#domain/definitions/copy-parts.ts';
import { orderOf, type Targeting, toTargeting } from '#domain/definitions/definition.ts';
import { Bar } from '../../../kit/Bar.tsx';
import { EditorName } from '../../../kit/EditorName.tsx';
import { RestoreDefinition } from '../../../kit/RestoreDefinition.tsx';
import { sharesInWords } from '../../../kit/treatments.ts';
import { reading } from '../../../server/api.ts';
import { useFlag } from '../../../server/flag.ts';
import { useEnvironments, useProject } from '../../../server/project.ts';
import { useMay } from '../../../server/session.ts';
import { Time } from '../../../ui/Time.tsx';
import { useDialogs } from '../editing/dialogs.ts';
import { readOnly, useEditor } from '../editing/editor.ts';
import { beginDraft } from '../editing/use-editing.ts';
import styles from './NotDefined.module.css';
import { everyoneOff, halfAndHalf } from './templates.ts';

/** The flag is not defined here: what everyone gets, and ways to define it. */
export function NotDefined() {
  const { environment, place } = useEditor();
  const { definitions } = useFlag();
  const elsewhere = useEnvironments().flatMap(({ id }) => definitions.filter((one) => one.environment.id === id));
  const dialogs = useDialogs();
  const begin = (targeting: Targeting, title?: string) =>
    beginDraft(place, undefined, { targeting, ...(title === undefined ? {} : { title }) });
  return (
    <div className={styles.blank}>
      <h3 className={styles.title}>Not defined in {environment.name}</h3>
      <p className={styles.lead}>
        Everyone in {environment.name} gets <code>control</code> for this flag until you define it.
      </p>
      <Removed />
      <ul className={styles.ways}>
        {[everyoneOff, halfAndHalf].map(({ name, about, targeting }) => (
          <Way key={name} icon={Plus} name={name} about={about} onClick={() => begin(targeting)}>
            <Picture targeting={targeting} />
          </Way>
        ))}
        {elsewhere.map((definition) => (
          <Way
            key={definition.environment.id}
            icon={Copy}
            name={`Copy from ${definition.environment.name}`}
            about={
              <>
                Saved <Time at={definition.lastUpdateTime} />, without its individual targets
              </>
            }
            onClick={() =>
              begin(
                copyParts(toTargeting(definition), undefined, new Set()),
                `Copy from ${definition.environment.name}`,
              )
            }
          >
            <Picture targeting={toTargeting(definition)} />
          </Way>
        ))}
        <Way
          icon={Braces}
          name="Paste JSON"
          about="A definition from the API or a flag’s JSON tab"
          onClick={() => dialogs.open('paste')}
        />
      </ul>
    </div>
  );
}

/** It was defined here before: who removed it, and the way back. */
function Removed() {
  const { environment } = useEditor();
  const flag = useFlag();
  const may = useMay();
  const query = { workspaceId: useProject().id, objectId: flag.id, environmentId: environment.id, limit: 1 };
  const { data } = useQuery({ ...reading(listChanges, { query }), enabled: may(listChanges) });
  const last = data?.data[0];
  if (last?.auditLogType !== 'definition.deleted') return null;
  return (
    <div className={styles.removed}>
      <p>
        <EditorName editor={last.editor} /> removed it <Time at={last.createdAt} />.
      </p>
      <RestoreDefinition flag={flag} environment={environment} />
    </div>
  );
}

interface WayProps {
  readonly icon: LucideIcon;
  readonly name: string;
  readonly about: ReactNode;
  readonly onClick: () => void;
  readonly children?: ReactNode;
}

function Way({ icon: Icon, name, about, onClick, children }: WayProps) {
  const { mayEdit } = useEditor();
  return (
    <li>
      <button type="button" className={styles.way} {...(mayEdit ? { onClick } : readOnly)}>
        <Icon size={16} aria-hidden />
        <span>
          <b>{name}</b>
          <span className={styles.about}>{about}</span>
        </span>
        {children && <span className={styles.picture}>{children}</span>}
      </button>
    </li>
  );
}

const Picture = ({ targeting }: { readonly targeting: Targeting }) => (
  <>
    <Bar buckets={targeting.defaultRule} order={orderOf(targeting)} label="" />
    <span className={styles.about}>{sharesInWords(targeting.defaultRule)}</span>
  </>
);
