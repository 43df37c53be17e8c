import { Fragment, type ReactNode } from 'react';
import type { Rule } from '#domain/definitions/definition.ts';
import styles from './Condition.module.css';
import { matcherPieces } from './matcher-words.ts';

interface Props {
  readonly rule: Pick<Rule, 'condition'>;
  /** "If" for the first rule, "Else if" for the others. */
  readonly lead: string;
  readonly trafficType: string;
  /** Renders the names of other flags and of segments, if they are more than text. */
  readonly nameOf?: Readonly<Record<'flag' | 'segment', (name: string) => ReactNode>> | undefined;
}

/** A rule's condition as a sentence: "If plan is one of pro or team and age is at least 18". */
export const Condition = ({ rule, lead, trafficType, nameOf }: Props) => (
  <p className={styles.sentence}>
    {rule.condition.matchers.map((matcher, place) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: matchers have no id
      <Fragment key={place}>
        <b>{place === 0 ? lead : 'and'}</b>{' '}
        {matcherPieces(matcher, trafficType).map((piece, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the words of a sentence
          <Fragment key={index}>
            {'token' in piece ? (
              <code className={styles.token}>
                {(piece.isNameOf && nameOf?.[piece.isNameOf](piece.token)) ?? piece.token}
              </code>
            ) : (
              piece.word
            )}{' '}
          </Fragment>
        ))}
      </Fragment>
    ))}
  </p>
);

/** A literal inside a sentence or a list: a key, a segment. */
export const Token = ({ children }: { readonly children: ReactNode }) => (
  <code className={styles.token}>{children}</code>
);
