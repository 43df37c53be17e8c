/** What prevents saving a draft, shown at the step it concerns. The server decides. */
import { checkTargeting, dependenciesOf, type Targeting } from '#domain/definitions/definition.ts';
import type { Matcher } from '#domain/definitions/matchers.ts';
import { doubleKeys } from '../../../targeting/key-lists.ts';
import { matcherComplaint } from '../../../targeting/matcher-complaint.ts';

export interface Complaint {
  /** `rule 0`, `targets`, `treatments`, `defaultRule`, `other`. */
  readonly step: string;
  readonly words: string;
  /** An open rule says it at its field. */
  readonly isAtField?: boolean;
}

export const ruleStep = (index: number): string => `rule ${index}`;

/** `gone` are flags that no longer exist and that the saved version does not depend on. */
export function complaintsAbout(
  targeting: Targeting,
  flag: string,
  gone: ReadonlySet<string> = new Set(),
): Complaint[] {
  const found = checkTargeting(targeting, {
    flag,
    existingFlags: new Set(dependenciesOf(targeting)),
    dependentFlags: new Set(),
  });
  const doubles = doubleKeys(targeting.treatments.map(({ name, keys = [] }) => ({ treatment: name, keys })));
  return [
    ...doubles.map(({ key, treatments }) => ({ step: 'targets', words: doubleWords(key, treatments) })),
    ...targeting.rules.flatMap(({ condition }, index) =>
      condition.matchers
        .flatMap((matcher) => [
          ...[matcherComplaint(matcher)?.words ?? []].flat().map((words) => ({ words, isAtField: true })),
          ...goneComplaint(matcher, gone).map((words) => ({ words })),
        ])
        .map((complaint) => ({ step: ruleStep(index), ...complaint })),
    ),
    ...found.filter((complaint) => !isSaidAbove(complaint)).map((words) => ({ step: stepOf(words), words })),
  ];
}

const doubleWords = (key: string, treatments: readonly string[]): string =>
  `${key} is in ${treatments.join(' and in ')}. A key can have only one treatment.`;

const goneComplaint = ({ depends }: Matcher, gone: ReadonlySet<string>): string[] =>
  depends && gone.has(depends.splitName)
    ? [`The flag ${depends.splitName} no longer exists. Choose another flag, or remove the condition.`]
    : [];

const isSaidAbove = (complaint: string): boolean =>
  /^rules\/\d+\/condition\/matchers\/\d+\//.test(complaint) || /^treatments\/\d+\/keys\//.test(complaint);

function stepOf(complaint: string): string {
  const [, rule] = /^rules\/(\d+)/.exec(complaint) ?? [];
  if (rule !== undefined) return ruleStep(Number(rule));
  return /^(treatments|defaultRule)/.exec(complaint)?.[0] ?? 'other';
}
