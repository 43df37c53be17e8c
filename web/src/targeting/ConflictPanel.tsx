import type { Conflict } from '#domain/definitions/differences.ts';
import { keepMine, takeTheirs } from '#domain/definitions/merge.ts';
import { type Draft, type DraftPlace, writeDraft } from '../state/drafts.ts';
import { Button } from '../ui/Button.tsx';
import styles from './ConflictPanel.module.css';
import box from './DifferenceBox.module.css';
import { DifferenceSide } from './DifferenceSide.tsx';
import { differenceTitle } from './difference-words.ts';

interface Props {
  readonly draft: Draft;
  readonly place: DraftPlace;
  /** Treatment names; their order decides the colours. */
  readonly order: readonly string[];
  readonly trafficType: string;
}

/** Conflicts between the draft and someone else's change. Saving waits until each is resolved. */
export function ConflictPanel(props: Props) {
  return (
    <section className={styles.panel} aria-label="Conflicts" data-step="conflicts">
      <h3 className={styles.title}>Someone else edited this too</h3>
      <p className={styles.lead}>Your draft is kept. Choose which version to keep for each step.</p>
      {props.draft.conflicts.map((conflict, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the list gets shorter with every choice
        <ConflictBox key={place} {...props} conflict={conflict} />
      ))}
    </section>
  );
}

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
  return (
    <div className={box.box}>
      <h4 className={box.title}>{name}</h4>
      <dl className={box.sides}>
        <dt>Before</dt>
        <dd>
          <DifferenceSide difference={theirs} side="before" {...look} />
        </dd>
        <dt>Theirs</dt>
        <dd>
          <DifferenceSide difference={theirs} side="after" {...look} />
        </dd>
        <dt>Yours</dt>
        <dd>
          <DifferenceSide difference={mine} side="after" {...look} />
        </dd>
      </dl>
      <div className={styles.choices}>
        <Button aria-label={`Take theirs: ${name}`} onClick={() => settle(takeTheirs)}>
          Take theirs
        </Button>
        <Button aria-label={`Keep yours: ${name}`} onClick={() => settle(keepMine)}>
          Keep yours
        </Button>
      </div>
    </div>
  );
}
