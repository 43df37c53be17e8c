import { Fragment, type ReactNode } from 'react';
import type { Rule } from '#domain/definitions/definition.ts';
import styles from './Condition.module.css';
import { matcherPieces } from './matcher-words.ts';

interface Props {
  readonly rule: Pick<Rule, 'condition'>;
  /** "If" for the first rule, "Else if" for the others. */
  readonly lead: string;
  readonly trafficType: string;
  /** Renders the name of another flag, if it is more than text. */
  readonly flagName?: ((name: string) => ReactNode) | undefined;
}

/** A rule's condition as a sentence: "If plan is one of pro, team and age is at least 18". */
export const Condition = ({ rule, lead, trafficType, flagName }: Props) => (
  <p className={styles.sentence}>
    {rule.condition.matchers.map((matcher, place) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: matchers have no id
      <Fragment key={place}>
        <b>{place === 0 ? lead : 'and'}</b>{' '}
        {matcherPieces(matcher, trafficType).map((piece, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the words of a sentence
          <Fragment key={index}>
            {'token' in piece ? (
              <code className={styles.token}>{piece.isFlag && flagName ? flagName(piece.token) : piece.token}</code>
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
export const Token = ({ children }: { readonly children: string }) => <code className={styles.token}>{children}</code>;
