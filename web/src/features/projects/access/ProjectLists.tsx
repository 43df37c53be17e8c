import { useQuery } from '@tanstack/react-query';
import { Eye, type LucideIcon, Pencil } from 'lucide-react';
import { useId } from 'react';
import { administrators } from '#domain/groups.ts';
import type { Circle, Grantee } from '#domain/rights.ts';
import { groupsReading } from '../../../administration/whole-lists.ts';
import { Unsaved } from '../../../kit/StatusChip.tsx';
import { Checkbox, Radio } from '../../../ui/Checkbox.tsx';
import { areSameCircles } from './access-draft.ts';
import { useEditing } from './access-editing.ts';
import { GranteeChips } from './GranteeChips.tsx';
import styles from './ProjectLists.module.css';

/** Who can view and who can edit the project. */
export function ProjectLists() {
  const { base, access, mayChange, edit } = useEditing();
  const { data: groups = [] } = useQuery(groupsReading);
  /** The server insists on it, so that nobody can lock everyone out. */
  const withAdministrators = (grantees: Grantee[]): Grantee[] => {
    const group = groups.find(({ name }) => name === administrators.name);
    if (!group || grantees.some(({ id }) => id === group.id)) return grantees;
    return [{ id: group.id, name: group.name, type: 'group' }, ...grantees];
  };
  return (
    <section className={styles.box} aria-label="Project">
      <div className={styles.columns}>
        <CircleChoice
          title="Can view"
          icon={Eye}
          open="Everyone with an account"
          hint="For everyone else, the project does not exist. API keys limited to this project keep their access."
          circle={access.view}
          saved={base.view}
          onChange={({ restricted, grantees }) =>
            edit((all) => ({
              ...all,
              view: { restricted, grantees: restricted ? withAdministrators(grantees) : grantees },
            }))
          }
        />
        <CircleChoice
          title="Can edit"
          icon={Pencil}
          open="Everyone who can view"
          hint="Flags and definitions. Everyone else who can view has read-only access."
          circle={access.edit}
          saved={base.edit}
          onChange={(circle) => edit((all) => ({ ...all, edit: circle }))}
        />
      </div>
      <div className={styles.owners}>
        <Checkbox
          label={
            <>
              Owners of a flag can edit it in every environment
              {access.ownersEdit !== base.ownersEdit && (
                <>
                  {' '}
                  <Unsaved />
                </>
              )}
            </>
          }
          hint="The creator of a flag owns it. So anyone who can create flags can then define them in production too, whatever the lists below say."
          checked={access.ownersEdit}
          disabled={!mayChange}
          onChange={({ target }) => edit((all) => ({ ...all, ownersEdit: target.checked }))}
        />
      </div>
    </section>
  );
}

interface Props {
  readonly title: string;
  readonly icon: LucideIcon;
  /** The label of the open choice. */
  readonly open: string;
  /** What the other choice means. */
  readonly hint: string;
  readonly circle: Circle;
  readonly saved: Circle;
  readonly onChange: (circle: Circle) => void;
}

function CircleChoice({ title, icon: Icon, open, hint, circle, saved, onChange }: Props) {
  const { mayChange } = useEditing();
  const id = useId();
  const { restricted, grantees } = circle;
  return (
    <div className={styles.column}>
      <h2 id={id} className={styles.title}>
        <Icon size={17} strokeWidth={1.75} aria-hidden /> {title}
        {!areSameCircles(circle, saved) && <Unsaved />}
      </h2>
      <div role="radiogroup" aria-labelledby={id} className={styles.radios}>
        <Radio
          name={id}
          label={open}
          checked={!restricted}
          disabled={!mayChange}
          onChange={() => onChange({ ...circle, restricted: false })}
        />
        <Radio
          name={id}
          label="Only these groups, people and API keys"
          hint={hint}
          checked={restricted}
          disabled={!mayChange}
          onChange={() => onChange({ ...circle, restricted: true })}
        />
      </div>
      {restricted && (
        <GranteeChips
          label={title}
          grantees={grantees}
          saved={saved.restricted ? saved.grantees : []}
          empty="Only administrators"
          onChange={(to) => onChange({ restricted, grantees: to })}
        />
      )}
    </div>
  );
}
