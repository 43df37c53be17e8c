import { useQuery } from '@tanstack/react-query';
import { getRuleBasedDefinition, replaceRuleBasedDefinition } from '#contract/rule-based-segments.ts';
import { countOf } from '../../administration/count.ts';
import { Loaded } from '../../kit/Loaded.tsx';
import { ProdChip } from '../../kit/StatusChip.tsx';
import { type Answer, reading, urlOf } from '../../server/api.ts';
import { type Environment, useProject } from '../../server/project.ts';
import { Condition, Token } from '../../targeting/Condition.tsx';
import { Command } from '../../ui/Command.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import styles from './SegmentPage.module.css';
import type { SegmentAnswer } from './segments-query.ts';

interface Props {
  readonly segment: SegmentAnswer;
  readonly environment: Environment;
}

/** Enough to recognise a list. */
const shownKeys = 50;

/** The rules of a rule-based segment, read-only. */
export function Rules({ segment, environment }: Props) {
  const project = useProject();
  const params = { project: project.id, ruleBasedSegment: segment.name, environment: environment.id };
  const query = useQuery(reading(getRuleBasedDefinition, { params }));
  return (
    <>
      <h2 className={styles.title}>
        {environment.name} {environment.production && <ProdChip />}
      </h2>
      <Loaded query={query}>{(definition) => <RuleList definition={definition} />}</Loaded>
      <div className={styles.part}>
        <p className={styles.quiet}>To change the rules, use the API:</p>
        <Command
          text={`curl -X PUT ${location.origin}${urlOf(replaceRuleBasedDefinition, { params })} -H "Authorization: Bearer $BURGEE_KEY" -H 'Content-Type: application/json' -d @rules.json`}
        />
      </div>
    </>
  );
}

function RuleList({ definition }: { readonly definition: Answer<typeof getRuleBasedDefinition> }) {
  const { rules, excludedKeys, excludedSegments, trafficType } = definition;
  if (rules.length === 0) return <EmptyState title="No rules">Nobody is in the segment here.</EmptyState>;
  return (
    <>
      <section className={styles.part} aria-labelledby="rules">
        <h2 id="rules">
          In the segment: {rules.length === 1 ? 'if this rule matches' : 'if one of these rules matches'}
        </h2>
        <ol className={styles.list}>
          {rules.map((rule, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: rules have no id
            <li key={index} className={styles.item}>
              <Condition rule={rule} lead={index === 0 ? 'If' : 'Or if'} trafficType={trafficType.name} />
            </li>
          ))}
        </ol>
      </section>
      {excludedKeys.length + excludedSegments.length > 0 && (
        <section className={styles.part} aria-labelledby="excluded">
          <h2 id="excluded">Never in the segment</h2>
          {excludedKeys.length > 0 && (
            <>
              <p className={styles.quiet}>{countOf(excludedKeys.length, 'key')}</p>
              <p className={styles.tokens}>
                {excludedKeys.slice(0, shownKeys).map((key) => (
                  <Token key={key}>{key}</Token>
                ))}
                {excludedKeys.length > shownKeys && `and ${excludedKeys.length - shownKeys} more`}
              </p>
            </>
          )}
          {excludedSegments.length > 0 && (
            <>
              <p className={styles.quiet}>
                {excludedSegments.length === 1 ? 'Everyone in this segment' : 'Everyone in one of these segments'}
              </p>
              <p className={styles.tokens}>
                {excludedSegments.map(({ name }) => (
                  <Token key={name}>{name}</Token>
                ))}
              </p>
            </>
          )}
        </section>
      )}
    </>
  );
}
