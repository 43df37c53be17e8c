import { useEffect } from 'react';
import { announceEditing } from '#contract/live.ts';
import { call } from '../../../server/api.ts';
import { useFlag } from '../../../server/flag.ts';
import { type Editing, useEditors } from '../../../server/live.ts';
import { useEnvironments, useProject } from '../../../server/project.ts';
import { useMe } from '../../../server/session.ts';
import { useEditor } from '../editing/editor.ts';
import styles from './Editors.module.css';

/** Shows who has unsaved changes to the flag, and announces the user's own. It keeps nobody from editing. */
export function Editors() {
  const { id } = useFlag();
  const me = useMe();
  const { environment, draft } = useEditor();
  const environments = useEnvironments();
  useAnnouncements(environment.id, draft !== undefined);
  const nameOf = (one: Editing) => environments.find((each) => each.id === one.environment)?.name;
  // One's own are in another browser, unless this one has them.
  const others = useEditors(id).filter(
    (one) =>
      nameOf(one) !== undefined && (one.person.id !== me.user.id || (one.environment === environment.id && !draft)),
  );
  return (
    <div role="status" className={styles.editors}>
      {others.map((one) => (
        <p key={`${one.person.id} ${one.environment}`} className={styles.editor}>
          <span className={styles.dot} aria-hidden />
          {one.person.id === me.user.id
            ? `You have unsaved changes to ${nameOf(one)} in another browser.`
            : `${one.person.name} is editing ${nameOf(one)}.`}
        </p>
      ))}
    </div>
  );
}

/** The server forgets it after 45 seconds. */
const announceMs = 20_000;

function useAnnouncements(environment: string, hasDraft: boolean): void {
  const project = useProject().id;
  const flag = useFlag().name;
  useEffect(() => {
    if (!hasDraft) return undefined;
    const announce = (editing: boolean) => {
      // Nobody depends on it.
      call(announceEditing, { params: { project, flag, environment }, body: { editing } }).catch(() => undefined);
    };
    const repeat = () => {
      if (!document.hidden) announce(true);
    };
    repeat();
    const timer = setInterval(repeat, announceMs);
    return () => {
      clearInterval(timer);
      announce(false);
    };
  }, [project, flag, environment, hasDraft]);
}
