/** The mail about changes to watched flags. Plain text: it is a list. */
import type { MailedChange, MailedFlag, WatchMail } from '#domain/watches.ts';

export function composeWatchMail({ flags, more }: WatchMail, publicUrl: string): { subject: string; text: string } {
  const { host } = new URL(publicUrl);
  return {
    subject: `${subjectOf(flags)} in Burgee at ${host}`,
    text: [
      ...flags.map((flag) => partOf(flag, publicUrl)),
      ...(more > 0
        ? [`And ${more} more ${more === 1 ? 'change' : 'changes'}. The activity pages of the flags show them.`]
        : []),
      `You get this mail because you watch ${flags.length === 1 ? 'this flag' : 'these flags'}. Stop watching a flag on its page; choose how often you get such mails, or turn them off: ${publicUrl}/me`,
    ].join('\n\n'),
  };
}

function subjectOf(flags: readonly MailedFlag[]): string {
  const [first] = flags;
  if (!first || flags.length > 1) return `${flags.length} flags that you watch changed`;
  const [only, ...others] = first.changes;
  return only && others.length === 0 ? `${first.name}: ${only.by} ${only.what}` : `${first.name} changed`;
}

function partOf({ name, project, isDeleted, changes }: MailedFlag, publicUrl: string): string {
  const place = `${publicUrl}/p/${encodeURIComponent(project.name)}`;
  return [
    `${name} in the project ${project.name}`,
    isDeleted ? `${place}/activity` : `${place}/flags/${encodeURIComponent(name)}/activity`,
    ...changes.map(linesOf),
  ].join('\n');
}

function linesOf({ at, by, what, details, note }: MailedChange): string {
  const time = `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
  return [
    `- ${time}: ${by} ${what}`,
    ...details.map((line) => `  ${line}`),
    ...(note === '' ? [] : [note.replaceAll(/^/gm, '  > ')]),
  ].join('\n');
}
