import { type UseQueryOptions, useQuery } from '@tanstack/react-query';
import type { listChanges } from '#contract/changes.ts';
import type { Conflict } from '#domain/definitions/differences.ts';
import { keepMine, takeTheirs } from '#domain/definitions/merge.ts';
import { EditorName } from '../kit/EditorName.tsx';
import type { Answer } from '../server/api.ts';
import type { ApiProblem } from '../server/api-problem.ts';
import { useMe } from '../server/session.ts';
import { type Draft, type DraftPlace, writeDraft } from '../state/drafts.ts';
import { Button } from '../ui/Button.tsx';
import { Time } from '../ui/Time.tsx';
import styles from './ConflictPanel.module.css';
import box from './DifferenceBox.module.css';
import { DifferenceSide } from './DifferenceSide.tsx';
import { differenceTitle } from './difference-words.ts';

/** The changes of the definition, newest first. */
export type ChangesReading = UseQueryOptions<Answer<typeof listChanges>, ApiProblem>;

interface Props {
  readonly draft: Draft;
  readonly place: DraftPlace;
  /** Treatment names; their order decides the colours. */
  readonly order: readonly string[];
  readonly trafficType: string;
  readonly changes: ChangesReading;
}

/** Conflicts between the draft and someone else's change. Saving waits until each is resolved. */
export function ConflictPanel(props: Props) {
  const words = wordsFor(props.draft);
  return (
    <section className={styles.panel} aria-label="Conflicts" data-step="conflicts">
      <h3 className={styles.title}>{words.title}</h3>
      <p className={styles.lead}>{words.lead}</p>
      {!props.draft.isRevert && (
        <p className={styles.lead}>
          <TheirChange reading={props.changes} />
        </p>
      )}
      {props.draft.conflicts.map((conflict, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the list gets shorter with every choice
        <ConflictBox key={place} {...props} conflict={conflict} />
      ))}
    </section>
  );
}

/** The last save: who, when and why. Empty if that is not known. */
function TheirChange({ reading }: { readonly reading: ChangesReading }) {
  const me = useMe().user.id;
  const { data } = useQuery(reading);
  // Of a segment, the log also has when it was activated.
  const change = data?.data.find(({ auditLogType }) => auditLogType !== 'segment.activated');
  if (!change) return null;
  return (
    <>
      Saved by <b>{change.editor.id === me ? 'you' : <EditorName editor={change.editor} />}</b>,{' '}
      <Time at={change.createdAt} />
      {change.title === undefined ? '.' : `: ${change.title}`}
    </>
  );
}

const wordsFor = ({ isRevert }: Draft) =>
  isRevert
    ? {
        title: 'This was changed again since',
        lead: 'Choose for each step: as it is now, or as it was before the change that you revert.',
        sides: { before: 'Then', theirs: 'Now', mine: 'Reverted' },
        choices: { theirs: 'Keep as now', mine: 'Revert' },
      }
    : {
        title: 'Someone else edited this too',
        lead: 'Your draft is kept. Choose which version to keep for each step.',
        sides: { before: 'Before', theirs: 'Theirs', mine: 'Yours' },
        choices: { theirs: 'Take theirs', mine: 'Keep yours' },
      };

function ConflictBox({ conflict, draft, place, order, trafficType }: Props & { readonly conflict: Conflict }) {
  const { theirs, mine } = conflict;
  const name = differenceTitle(mine);
  const settle = (choose: typeof takeTheirs) => {
    if (!draft.base) return;
    writeDraft(place, {
      ...draft,
      targeting: choose(draft.targeting, conflict, draft.base),
      conflicts: draft.conflicts.filter((other) => other !== conflict),
    });
  };
  const look = { order, trafficType };
  const { sides, choices } = wordsFor(draft);
  return (
    <div className={box.box}>
      <h4 className={box.title}>{name}</h4>
      <dl className={box.sides}>
        <dt>{sides.before}</dt>
        <dd>
          <DifferenceSide difference={theirs} side="before" {...look} />
        </dd>
        <dt>{sides.theirs}</dt>
        <dd>
          <DifferenceSide difference={theirs} side="after" {...look} />
        </dd>
        <dt>{sides.mine}</dt>
        <dd>
          <DifferenceSide difference={mine} side="after" {...look} />
        </dd>
      </dl>
      <div className={styles.choices}>
        <Button aria-label={`${choices.theirs}: ${name}`} onClick={() => settle(takeTheirs)}>
          {choices.theirs}
        </Button>
        <Button aria-label={`${choices.mine}: ${name}`} onClick={() => settle(keepMine)}>
          {choices.mine}
        </Button>
      </div>
    </div>
  );
}
