import { GitCompareArrows, KeyRound, Link2 } from 'lucide-react';
import { useEffect, useMemo, useRef, useState } from 'react';
import type { Change } from '#domain/changes.ts';
import { orderOf, recordedTargeting } from '#domain/definitions/definition.ts';
import { diffTargeting } from '#domain/definitions/patch.ts';
import { effectOf } from '#domain/evaluation/effects.ts';
import { EditorName, useEditorName } from '../../kit/EditorName.tsx';
import { RestoreDefinition } from '../../kit/RestoreDefinition.tsx';
import { ProdChip } from '../../kit/StatusChip.tsx';
import { useFlag } from '../../server/flag.ts';
import { type Environment, useEnvironments, useProject } from '../../server/project.ts';
import { toast } from '../../state/toasts.ts';
import { changeSentence, differencesIn } from '../../targeting/change-words.ts';
import { DifferenceBox } from '../../targeting/DifferenceBox.tsx';
import { effectLine } from '../../targeting/effect-words.ts';
import { WholeDefinition } from '../../targeting/WholeDefinition.tsx';
import { Avatar } from '../../ui/Avatar.tsx';
import { Button } from '../../ui/Button.tsx';
import { Chip } from '../../ui/Chip.tsx';
import { copyText } from '../../ui/copy-text.ts';
import { TextLink } from '../../ui/TextLink.tsx';
import { Time } from '../../ui/Time.tsx';
import styles from './FlagChange.module.css';
import { FlagMembers } from './FlagMembers.tsx';
import { GoBack, Revert } from './WaysBack.tsx';

interface Props {
  readonly change: Change;
  /** The address names this one. */
  readonly isLinked: boolean;
  /** A or B: it is being compared. */
  readonly mark: string | undefined;
  /** Known to be the newest of its environment. */
  readonly isLast: boolean;
  /** Undefined if it is no version of a definition. */
  readonly onCompare: (() => void) | undefined;
}

/** One audit entry of a flag: who, what, why, the change drawn, and a way back to that version. */
export function FlagChange({ change, isLinked, mark, isLast, onCompare }: Props) {
  const environment = useEnvironments().find(({ id }) => id === change.environmentId);
  const isDefinition = change.object.type === 'definition';
  const entry = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (!isLinked) return;
    entry.current?.scrollIntoView({ block: 'center' });
    entry.current?.focus({ preventScroll: true });
  }, [isLinked]);
  const classes = [
    styles.entry,
    change.auditLogType === 'definition.killed' && styles.kill,
    (isLinked || mark !== undefined) && styles.linked,
  ];
  return (
    <li ref={entry} id={change.id} tabIndex={-1} className={classes.filter(Boolean).join(' ')}>
      <Avatar name={useEditorName(change.editor)} />
      <div className={styles.body}>
        <p className={styles.line}>
          {change.editor.type === 'api_key' && <KeyRound size={13} aria-label="API key" />}
          <b>
            <EditorName editor={change.editor} />
          </b>{' '}
          <span className={styles.what}>{sentenceOf(change)}</span>
          {mark !== undefined && <Chip>Version {mark}</Chip>}
          {environment && (
            <span className={styles.where}>
              <Chip>{environment.name}</Chip>
              {environment.production && <ProdChip />}
            </span>
          )}
          <span className={styles.when}>
            <Time at={change.createdAt} />
          </span>
        </p>
        {change.title !== undefined && <p className={styles.title}>{change.title}</p>}
        {change.comment !== undefined && <p className={styles.comment}>{change.comment}</p>}
        {isDefinition ? <DefinitionPicture change={change} /> : <FlagMembers change={change} />}
        <Tools change={change} environment={environment} isLast={isLast} onCompare={onCompare} />
      </div>
    </li>
  );
}

const sentenceOf = (change: Change): string => {
  const sentence = changeSentence(change);
  return `${sentence.charAt(0).toLowerCase()}${sentence.slice(1)}`;
};

function DefinitionPicture({ change }: { readonly change: Change }) {
  const { trafficType } = useFlag();
  const before = change.before ? recordedTargeting(change.before) : undefined;
  const after = change.after ? recordedTargeting(change.after) : undefined;
  const order = orderOf(before, after);
  if (!before && after) return <WholeDefinition targeting={after} order={order} trafficType={trafficType.name} />;
  const differences = differencesIn(change);
  if (before && after && differences.length === 0) {
    return <p className={styles.comment}>This change left the definition as it was.</p>;
  }
  return (
    <>
      {differences.length > 0 && <PastEffect change={change} />}
      {differences.map((difference, place) => (
        <DifferenceBox
          // biome-ignore lint/suspicious/noArrayIndexKey: an entry never changes
          key={place}
          difference={difference}
          order={order}
          trafficType={trafficType.name}
          when="past"
        />
      ))}
    </>
  );
}

/** The state of other flags at that time is unknown. */
function PastEffect({ change }: { readonly change: Change }) {
  const line = useMemo(() => {
    if (!change.before || !change.after) return undefined;
    const [before, after] = [recordedTargeting(change.before), recordedTargeting(change.after)];
    return effectLine(
      effectOf({ before, after, seeds: undefined, otherFlag: () => undefined }),
      after.defaultTreatment,
    );
  }, [change]);
  return <p className={styles.comment}>{line}</p>;
}

interface ToolsProps {
  readonly change: Change;
  readonly environment: Environment | undefined;
  readonly isLast: boolean;
  readonly onCompare: (() => void) | undefined;
}

function Tools({ change, environment, isLast, onCompare }: ToolsProps) {
  const flag = useFlag();
  const isRemoved =
    isLast &&
    change.auditLogType === 'definition.deleted' &&
    !flag.definitions.some((one) => one.environment.id === environment?.id);
  const [isPatchShown, setPatchShown] = useState(false);
  const patch = patchOf(change);
  const where = new URLSearchParams({ ...(environment && { environment: environment.name }), version: change.id });
  const link = `${location.origin}${location.pathname}?${where}`;
  return (
    <>
      <div className={styles.tools}>
        {patch && (
          <Button look="quiet" size="small" aria-expanded={isPatchShown} onClick={() => setPatchShown(!isPatchShown)}>
            {isPatchShown ? 'Hide JSON patch' : 'Show JSON patch'}
          </Button>
        )}
        {onCompare && (
          <Button look="quiet" size="small" onClick={onCompare}>
            <GitCompareArrows size={13} aria-hidden /> Compare
          </Button>
        )}
        {environment && isRemoved && <RestoreDefinition flag={flag} environment={environment} />}
        <Revert change={change} environment={environment} />
        {environment && <GoBack change={change} environment={environment} />}
        {change.changesetId !== undefined && <PartOf changeset={change.changesetId} />}
        <Button look="quiet" size="small" onClick={() => void copyText(link).then(() => toast('Copied the link.'))}>
          <Link2 size={13} aria-hidden /> Copy link
        </Button>
      </div>
      {isPatchShown && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable areas must be reachable by keyboard
        <pre className={styles.patch} tabIndex={0}>
          {JSON.stringify(patch, null, 2)}
        </pre>
      )}
    </>
  );
}

/** Reverting all of it is done there. */
const PartOf = ({ changeset }: { readonly changeset: string }) => (
  <span className={styles.current}>
    <TextLink to="/p/$project/changesets/$changeset" params={{ project: useProject().name, changeset }}>
      Part of a changeset
    </TextLink>
  </span>
);

function patchOf({ object, before, after }: Change) {
  if (object.type !== 'definition' || !before || !after) return undefined;
  return diffTargeting(recordedTargeting(before), recordedTargeting(after));
}
