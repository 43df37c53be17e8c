import { useQuery } from '@tanstack/react-query';
import { listChanges } from '#contract/changes.ts';
import type { Change } from '#domain/changes.ts';
import { useEditorName } from '../../../kit/EditorName.tsx';
import { Loaded } from '../../../kit/Loaded.tsx';
import { useFlag } from '../../../server/flag.ts';
import { useProject } from '../../../server/project.ts';
import { useMay } from '../../../server/session.ts';
import { changeSentence, differencesIn } from '../../../targeting/change-words.ts';
import { differenceLine } from '../../../targeting/difference-words.ts';
import { Avatar } from '../../../ui/Avatar.tsx';
import { TextLink } from '../../../ui/TextLink.tsx';
import { Time } from '../../../ui/Time.tsx';
import { useChangesReading } from '../editing/changes.ts';
import { useEditor } from '../editing/editor.ts';
import styles from './ActivityRail.module.css';

const shown = 3;

/** Recent changes to the definition. */
export function ActivityRail() {
  const { environment, trafficType } = useEditor();
  const project = useProject();
  const flag = useFlag();
  const may = useMay();
  const changes = useQuery(useChangesReading(environment.id));
  if (!may(listChanges)) return null;
  return (
    <section aria-labelledby="activity">
      <div className={styles.head}>
        <h2 id="activity">Activity</h2>
        <TextLink to="/p/$project/flags/$flag/activity" params={{ project: project.name, flag: flag.name }}>
          View all
        </TextLink>
      </div>
      <Loaded query={changes}>
        {({ data }) =>
          data.length === 0 ? (
            <p className={styles.none}>No changes here yet.</p>
          ) : (
            <ol className={styles.list}>
              {data.slice(0, shown).map((change) => (
                <Entry key={change.id} change={change} trafficType={trafficType} />
              ))}
            </ol>
          )
        }
      </Loaded>
    </section>
  );
}

function Entry({ change, trafficType }: { readonly change: Change; readonly trafficType: string }) {
  const [first, ...others] = differencesIn(change);
  const name = useEditorName(change.editor);
  return (
    <li className={styles.entry}>
      <Avatar name={name} />
      <div className={styles.words}>
        <p className={styles.what}>{changeSentence(change)}</p>
        {change.title !== undefined && <p className={styles.detail}>{change.title}</p>}
        {first && first.kind !== 'killed' && (
          <p className={styles.detail}>
            {differenceLine(first, trafficType)}
            {others.length > 0 && ` and ${others.length} more`}
          </p>
        )}
        <p className={styles.who}>
          {name}, <Time at={change.createdAt} />
        </p>
      </div>
    </li>
  );
}
