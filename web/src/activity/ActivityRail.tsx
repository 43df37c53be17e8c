import type { ReactNode } from 'react';
import type { Change } from '#domain/changes.ts';
import { useEditorName } from '../kit/EditorName.tsx';
import { Loaded } from '../kit/Loaded.tsx';
import type { ApiProblem } from '../server/api-problem.ts';
import { Avatar } from '../ui/Avatar.tsx';
import { Time } from '../ui/Time.tsx';
import styles from './ActivityRail.module.css';

export interface ChangeWords {
  readonly what: string;
  readonly details: readonly string[];
}

interface Props {
  /** Newest first. */
  readonly query: {
    readonly data: { readonly data: readonly Change[] } | undefined;
    readonly error: ApiProblem | null;
    readonly refetch: () => unknown;
  };
  /** A link to all changes. */
  readonly all: ReactNode;
  readonly wordsOf: (change: Change) => ChangeWords;
  /** What can be done about a change. */
  readonly actionFor?: (change: Change) => ReactNode;
}

const shown = 3;

/** The latest changes, beside a page. */
export const ActivityRail = ({ query, all, wordsOf, actionFor }: Props) => (
  <section aria-labelledby="activity">
    <div className={styles.head}>
      <h2 id="activity">Activity</h2>
      {all}
    </div>
    <Loaded query={query}>
      {({ data }) =>
        data.length === 0 ? (
          <p className={styles.none}>No changes here yet.</p>
        ) : (
          <ol>
            {data.slice(0, shown).map((change) => (
              <Entry key={change.id} change={change} words={wordsOf(change)} action={actionFor?.(change)} />
            ))}
          </ol>
        )
      }
    </Loaded>
  </section>
);

interface EntryProps {
  readonly change: Change;
  readonly words: ChangeWords;
  readonly action: ReactNode;
}

function Entry({ change, words, action }: EntryProps) {
  const name = useEditorName(change.editor);
  return (
    <li className={styles.entry}>
      <Avatar name={name} />
      <div className={styles.words}>
        <p className={styles.what}>{words.what}</p>
        {[...(change.title === undefined ? [] : [change.title]), ...words.details].map((detail) => (
          <p key={detail} className={styles.detail}>
            {detail}
          </p>
        ))}
        <p className={styles.who}>
          {name}, <Time at={change.createdAt} />
        </p>
        {action && <div className={styles.action}>{action}</div>}
      </div>
    </li>
  );
}
