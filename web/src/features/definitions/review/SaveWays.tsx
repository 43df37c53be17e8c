import { CalendarClock, GitPullRequestArrow, type LucideIcon } from 'lucide-react';
import { type Environment, needsApproval } from '../../../server/project.ts';
import { Button } from '../../../ui/Button.tsx';
import type { Editor } from '../editing/editor.ts';

/** What can become of a reviewed draft. */
export type Way = 'save' | 'propose' | 'schedule';

export interface OfferedWay {
  readonly way: Way;
  readonly label: string;
  readonly icon?: LucideIcon;
  /** Why the user cannot go this way. */
  readonly refusal?: string | undefined;
}

/** The ways that the rights and the environment allow. The last one is the usual. */
export function waysFor(
  environment: Environment,
  { refusal, isProposing }: Pick<Editor, 'refusal' | 'isProposing'>,
): OfferedWay[] {
  const propose = { way: 'propose', label: 'Propose', icon: GitPullRequestArrow } as const;
  if (isProposing) return [{ ...propose, label: `Propose to ${environment.name}` }];
  // For those who could apply it.
  const schedule = { way: 'schedule', label: 'Schedule…', icon: CalendarClock, refusal } as const;
  if (needsApproval(environment)) return [schedule, { ...propose, label: `Propose to ${environment.name}`, refusal }];
  return [schedule, propose, { way: 'save', label: `Save to ${environment.name}`, refusal }];
}

interface Props {
  readonly ways: readonly OfferedWay[];
  readonly isSending: boolean;
  /** Called before the form is sent. */
  readonly onChoose: (way: Way) => void;
  /** Asks when, before anything is sent. */
  readonly onSchedule: () => void;
}

/** One button for each way. Enter takes the usual one. */
export function SaveWays({ ways, isSending, onChoose, onSchedule }: Props) {
  return ways.map(({ way, label, icon: Icon, refusal }, index) => {
    const isUsual = index === ways.length - 1;
    return (
      <Button
        key={way}
        type={isUsual ? 'submit' : 'button'}
        look={isUsual ? 'primary' : 'plain'}
        isBusy={isSending}
        refusal={refusal}
        onClick={({ currentTarget }) => {
          if (way === 'schedule') return onSchedule();
          onChoose(way);
          if (!isUsual) currentTarget.form?.requestSubmit();
        }}
      >
        {Icon && !isUsual && <Icon size={14} aria-hidden />} {label}
      </Button>
    );
  });
}
