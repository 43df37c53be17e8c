/** The actors and objects that audit entries name, linked to their pages. */
import { useQuery } from '@tanstack/react-query';
import { Cpu, KeyRound, type LucideIcon, SquareTerminal, UserX } from 'lucide-react';
import type { Change } from '#domain/changes.ts';
import { NameLink } from '../administration/NameLink.tsx';
import { useEditorName } from '../kit/EditorName.tsx';
import { projectsReading } from '../server/project.ts';
import { Avatar } from '../ui/Avatar.tsx';
import styles from './ChangeNames.module.css';
import { useEnvironmentOf } from './environment-of.ts';

type Editor = Change['editor'];

/** Actors that are not users. */
const others: Readonly<Record<string, { readonly icon: LucideIcon; readonly label: string }>> = {
  api_key: { icon: KeyRound, label: 'API key' },
  operator: { icon: SquareTerminal, label: 'Command line' },
  system: { icon: Cpu, label: 'The server' },
  anonymous: { icon: UserX, label: 'Someone not signed in' },
};

interface ActorProps {
  readonly editor: Editor;
  readonly face?: 'mark' | 'name';
}

/** The actor's initials or icon, or its name, linked where it has a page. */
export function ChangeActor({ editor, face = 'mark' }: ActorProps) {
  const name = useEditorName(editor);
  const other = others[editor.type];
  if (face === 'mark') {
    if (!other) return <Avatar name={name} />;
    const Icon = other.icon;
    return (
      <span className={styles.mark} aria-hidden>
        <Icon size={13} strokeWidth={1.75} />
      </span>
    );
  }
  if (editor.type === 'user') {
    return (
      <NameLink to="/admin/users/$user" params={{ user: editor.id }}>
        {name}
      </NameLink>
    );
  }
  if (editor.type === 'api_key') {
    return (
      <>
        API key <b className={styles.name}>{name}</b>
      </>
    );
  }
  return <b className={styles.name}>{other?.label ?? name}</b>;
}

/** The changed object, linked while it exists. */
export function ChangeObject({ change }: { readonly change: Change }) {
  const { object, auditLogType } = change;
  const isGone = auditLogType.endsWith('.deleted') || auditLogType.endsWith('.revoked');
  if (object.type === 'user') return <UserName object={object} isGone={isGone} />;
  if (object.type === 'flag' || object.type === 'definition') return <FlagName change={change} isGone={isGone} />;
  if (isGone) return <b className={styles.name}>{object.name}</b>;
  if (object.type === 'group') {
    return (
      <NameLink to="/admin/groups/$group" params={{ group: object.id }}>
        {object.name}
      </NameLink>
    );
  }
  if (object.type === 'segment') return <SegmentName change={change} />;
  if (object.type === 'api_key') return <NameLink to="/admin/api-keys">{object.name}</NameLink>;
  return <PlaceName change={change} />;
}

interface ObjectProps {
  readonly object: Change['object'];
  readonly isGone: boolean;
}

/** The audit log stores email addresses, not names. */
function UserName({ object: { id, name }, isGone }: ObjectProps) {
  const shown = useEditorName({ type: isGone ? 'gone' : 'user', id, name });
  if (isGone || id === 'unknown') return <b className={styles.name}>{name}</b>;
  return (
    <NameLink to="/admin/users/$user" params={{ user: id }}>
      {shown}
    </NameLink>
  );
}

function FlagName({ change, isGone }: { readonly change: Change; readonly isGone: boolean }) {
  const { object, workspaceId = '' } = change;
  const environment = useEnvironmentOf(change)?.name;
  const name = <span className="mono">{object.name}</span>;
  if (isGone && object.type === 'flag') return <b className={styles.name}>{name}</b>;
  const params = { project: workspaceId, flag: object.id };
  return environment === undefined ? (
    <NameLink to="/p/$project/flags/$flag" params={params}>
      {name}
    </NameLink>
  ) : (
    <NameLink to="/p/$project/flags/$flag/$environment" params={{ ...params, environment }}>
      {name}
    </NameLink>
  );
}

function SegmentName({ change }: { readonly change: Change }) {
  const { object, workspaceId = '' } = change;
  const environment = useEnvironmentOf(change)?.name;
  const params = { project: workspaceId, segment: object.name };
  const name = <span className="mono">{object.name}</span>;
  return environment === undefined ? (
    <NameLink to="/p/$project/segments/$segment" params={params}>
      {name}
    </NameLink>
  ) : (
    <NameLink to="/p/$project/segments/$segment/$environment" params={{ ...params, environment }}>
      {name}
    </NameLink>
  );
}

/** Projects, and objects shown on a project page. */
function PlaceName({ change: { object, workspaceId = '' } }: { readonly change: Change }) {
  const params = { project: workspaceId };
  if (object.type === 'segment') {
    return (
      <NameLink to="/p/$project/segments/$segment" params={{ ...params, segment: object.name }}>
        <span className="mono">{object.name}</span>
      </NameLink>
    );
  }
  if (object.type === 'changeset') {
    return (
      <NameLink to="/p/$project/changesets/$changeset" params={{ ...params, changeset: object.id }}>
        {object.name || 'without a title'}
      </NameLink>
    );
  }
  if (object.type === 'flag_set') {
    return (
      <NameLink to="/p/$project/settings/flag-sets" params={params}>
        <span className="mono">{object.name}</span>
      </NameLink>
    );
  }
  if (object.type === 'attribute') {
    return (
      <NameLink to="/p/$project/settings/attributes" params={params}>
        <span className="mono">{object.name}</span>
      </NameLink>
    );
  }
  return object.type === 'environment' ? (
    <NameLink to="/p/$project/environments" params={params}>
      {object.name}
    </NameLink>
  ) : (
    <NameLink to="/p/$project/settings" params={params}>
      {object.name}
    </NameLink>
  );
}

/** Follows the sentence in account activity. */
export function ProjectName({ id }: { readonly id: string | undefined }) {
  const { data } = useQuery(projectsReading);
  const name = data?.objects.find((project) => project.id === id)?.name;
  return name === undefined ? null : <span className={styles.project}> · {name}</span>;
}
