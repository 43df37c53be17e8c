/** Composes emails and sends them by SMTP. */
import { createTransport } from 'nodemailer';
import type { Logger } from 'pino';
import { type CleanupReminder, type RemindedGroup, reminderKind } from '#domain/reminders.ts';
import { type WatchMail, watchMailKind } from '#domain/watches.ts';
import {
  type ChangesetMail,
  deleteNewsMails,
  hasNewsMail,
  hasUnannouncedMail,
  isAsking,
  type Mail,
  pathOf,
  takeUnannouncedMails,
} from '#store/outbox.ts';
import { housekeep, type Store } from '#store/sql.ts';
import { deleteAllNews, hasNews } from '#store/watches.ts';
import { GiveUp, type OutboxHandler, type OutboxHandlers } from './outbox.ts';
import { composeWatchMail } from './watch-mail.ts';

/** Resolves once the mail server has accepted the message. */
export type SendMail = (mail: Mail | ChangesetMail | CleanupReminder | WatchMail) => Promise<void>;

export const linkOf = (publicUrl: string, mail: Mail): string => publicUrl + pathOf(mail);

/** The page that creates the first administrator. */
export const setupLink = (publicUrl: string, token: string): string => `${publicUrl}/setup?token=${token}`;

/** In milliseconds. The outbox retries after a timeout. */
const timeouts = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 20_000 };

export function smtpSender(smtpUrl: string, from: string, publicUrl: string): SendMail {
  const transport = createTransport({ url: smtpUrl, ...timeouts });
  return async (mail) => {
    await transport.sendMail({ from, to: { name: mail.name, address: mail.email }, ...compose(mail, publicUrl) });
  };
}

function compose(mail: Mail | ChangesetMail | CleanupReminder | WatchMail, publicUrl: string) {
  if (mail.kind === reminderKind) return composeReminder(mail, publicUrl);
  return mail.kind === watchMailKind ? composeWatchMail(mail, publicUrl) : composeMail(mail, publicUrl);
}

/** Sends a mail that needs nothing but to arrive. Resolves to what the mail server said; rejects with its error. */
export const testMailSender = (smtpUrl: string, from: string, publicUrl: string) => async (email: string) => {
  const transport = createTransport({ url: smtpUrl, ...timeouts });
  const { host } = new URL(publicUrl);
  try {
    const { response } = await transport.sendMail({
      from,
      to: email,
      subject: `Test mail from Burgee at ${host}`,
      text: `An administrator of Burgee at ${host} asked for this mail. It arrived, so invitations and password resets can arrive too.`,
    });
    return response;
  } finally {
    transport.close();
  }
};

/** All mails go to one server, which may refuse more than a few connections. */
export function mailHandlers(send: SendMail, clock: () => number): OutboxHandlers {
  const handler: OutboxHandler = {
    noun: 'mail',
    perTarget: 5,
    atOnce: 5,
    facts: ({ payload }) => ({ email: (payload as Mail).email }),
    deliver: async ({ payload }) => {
      const mail = payload as Mail;
      if (mail.expiresAt <= clock()) throw new GiveUp('the link expired before the mail could be sent');
      await send(mail);
    },
  };
  const news: OutboxHandler = {
    ...handler,
    deliver: async ({ payload }) => send(payload as ChangesetMail | CleanupReminder | WatchMail),
  };
  const links = { invitation: handler, 'password-reset': handler };
  return { ...links, changeset: news, [reminderKind]: news, [watchMailKind]: news };
}

/**
 * Links are logged. News about changesets and watched flags are dropped, so that they do not pile up: the interface
 * shows what waits.
 */
export async function doWithoutMailServer(store: Store, log: Logger, publicUrl: string): Promise<void> {
  await announceLinks(store, log, publicUrl);
  if (await hasNewsMail(store)) await housekeep(store, deleteNewsMails);
  if (await hasNews(store)) await housekeep(store, deleteAllNews);
}

/** Without a mail server, each link is logged once, and the mails stay in the outbox. */
export async function announceLinks(store: Store, log: Logger, publicUrl: string): Promise<void> {
  if (!(await hasUnannouncedMail(store))) return;
  for (const { payload } of await housekeep(store, takeUnannouncedMails)) {
    const { kind, email, expiresAt } = payload;
    const link = linkOf(publicUrl, payload);
    log.info({ kind, email, link, expiresAt }, 'no mail server is configured: hand this link over yourself');
  }
}

/** Connects and authenticates without sending anything. Throws the mail server's or the network's error. */
export async function greetMailServer(smtpUrl: string): Promise<void> {
  const transport = createTransport({ url: smtpUrl, ...timeouts });
  try {
    await transport.verify();
  } finally {
    transport.close();
  }
}

interface Words {
  readonly subject: string;
  readonly lead: string;
  /** In somebody's own words. */
  readonly quote?: string;
  readonly button: string;
  readonly link: string;
  /** Smaller, below the button. */
  readonly notes: readonly string[];
}

export function composeMail(
  mail: Mail | ChangesetMail,
  publicUrl: string,
): { subject: string; text: string; html: string } {
  const words = mail.kind === 'changeset' ? newsOf(mail, publicUrl) : wordsOf(mail, publicUrl);
  const { subject, lead, quote, button, link, notes } = words;
  const quoted = quote === undefined ? [] : [quote.replaceAll(/^/gm, '> ')];
  return {
    subject,
    text: [lead, ...quoted, `${button}:\n${link}`, ...notes].join('\n\n'),
    html: toHtml(words),
  };
}

const verbs = {
  approved: (by: string) => `${by} approved`,
  asked: (by: string) => `${by} asked for changes to`,
  published: (by: string) => `${by} applied`,
  rejected: (by: string) => `${by} rejected`,
  withdrawn: (by: string) => `${by} withdrew`,
  aborted: (by: string) => `${by} ended the schedule of`,
  expired: () => 'Burgee closed',
  failed: () => 'Burgee could not apply',
} as const;

/** A title can be long, and have line breaks. */
const inOneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim().slice(0, 150);

/** What people are asked to do. */
const asks = {
  requested: { verb: 'approve', subject: 'Approve', reason: 'you can approve changes there' },
  ready: { verb: 'apply', subject: 'Apply', reason: 'you can edit there, and whoever made the changeset cannot' },
} as const;

function newsOf(mail: ChangesetMail, publicUrl: string): Words {
  const { news, by, title, project, comment, changesetId, expiresAt, isScheduler } = mail;
  const name = inOneLine(title) || 'a changeset without a title';
  const where = `“${name}” in the project ${project.name}`;
  const { subject, lead, reason } = isAsking(news)
    ? {
        ...asks[news],
        subject: `${asks[news].subject}: ${name}`,
        lead: `${by} asks you to ${asks[news].verb} ${where}.`,
      }
    : {
        subject: `${name}: ${news === 'asked' ? 'changes asked for' : news}`,
        lead: `${verbs[news](by)} ${isScheduler ? 'the' : 'your'} changeset ${where}.`,
        reason: `you ${isScheduler ? 'scheduled' : 'made'} the changeset`,
      };
  return {
    subject: inOneLine(subject),
    lead,
    ...(comment === '' ? {} : { quote: comment }),
    button: isAsking(news) ? 'Review the changes' : 'Open the changeset',
    link: `${publicUrl}/p/${project.id}/changesets/${changesetId}`,
    notes: [
      ...(expiresAt === undefined ? [] : [`If nobody decides, it expires on ${new Date(expiresAt).toUTCString()}.`]),
      `You get this email because ${reason}.`,
    ],
  };
}

function wordsOf(mail: Mail, publicUrl: string): Words {
  const { host } = new URL(publicUrl);
  const link = linkOf(publicUrl, mail);
  const expires = `The link works once and expires on ${new Date(mail.expiresAt).toUTCString()}.`;
  if (mail.kind === 'invitation') {
    return {
      subject: `You are invited to Burgee at ${host}`,
      lead: `${mail.invitedBy ?? 'An administrator'} invited you (${mail.email}) to Burgee at ${host}. Your team uses it to control who sees which feature.`,
      button: 'Create your account',
      link,
      notes: [expires, 'If you did not expect this email, ignore it. No account is created until you accept.'],
    };
  }
  return {
    subject: `Reset your password for Burgee at ${host}`,
    lead: `Someone, probably you, requested a password reset for ${mail.email} in Burgee at ${host}.`,
    button: 'Set a new password',
    link,
    notes: [expires, 'If this was not you, ignore this email. Your password stays the same.'],
  };
}

const advice: Readonly<Record<RemindedGroup, string>> = {
  safe: 'safe to remove',
  code: 'remove it from code first',
  killed: 'killed for a long time: restore it or remove it',
};

/** Plain text: it is a list of names. */
export function composeReminder({ projects }: CleanupReminder, publicUrl: string): { subject: string; text: string } {
  const { host } = new URL(publicUrl);
  const total = projects.reduce((sum, project) => sum + project.total, 0);
  const parts = projects.map(({ name, flags, total: ofProject }) => {
    const more = ofProject - flags.length;
    return [
      `${name}: ${publicUrl}/p/${encodeURIComponent(name)}/cleanup`,
      ...flags.map((flag) => `- ${flag.name}: ${advice[flag.group]}`),
      ...(more > 0 ? [`- and ${more} more`] : []),
    ].join('\n');
  });
  const flags = total === 1 ? '1 flag of yours looks' : `${total} flags of yours look`;
  return {
    subject: `${flags} finished in Burgee at ${host}`,
    text: [
      `${flags} finished. Removing them keeps code readable; a flag that should stay can be kept on the same page.`,
      ...parts,
      `You asked for this mail once a week. Turn it off: ${publicUrl}/me`,
    ].join('\n\n'),
  };
}

/** Mail clients support only tables and inline styles. The link is repeated below the button for clients that do not show it. */
function toHtml({ subject, lead, quote, button, link, notes }: Words): string {
  const paragraph = (text: string, style = '') =>
    `<p style="margin:0 0 16px;font-size:15px;line-height:1.5;${style}">${escapeHtml(text)}</p>`;
  const quiet = 'font-size:13px;color:#5b6472;';
  const quoted = 'padding-left:12px;border-left:3px solid #e2e5ea;white-space:pre-line;';
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeHtml(subject)}</title></head>
<body style="margin:0;padding:24px 12px;background:#f4f5f7;font-family:-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif;color:#1b1f27">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0"><tr><td align="center">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" style="max-width:520px;background:#ffffff;border:1px solid #e2e5ea;border-radius:10px">
<tr><td style="padding:28px 32px">
<p style="margin:0 0 20px;font-size:17px;font-weight:600">Burgee</p>
${[paragraph(lead), ...(quote === undefined ? [] : [paragraph(quote, quoted)])].join('\n')}
<table role="presentation" cellpadding="0" cellspacing="0" style="margin:8px 0 24px"><tr><td style="background:#1f5fd0;border-radius:7px">
<a href="${escapeHtml(link)}" style="display:inline-block;padding:12px 22px;font-size:15px;font-weight:600;color:#ffffff;text-decoration:none">${escapeHtml(button)}</a>
</td></tr></table>
<p style="margin:0 0 16px;${quiet}line-height:1.5;word-break:break-all">${escapeHtml(link)}</p>
${notes.map((note) => paragraph(note, quiet)).join('\n')}
</td></tr></table>
</td></tr></table>
</body>
</html>
`;
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escapeHtml = (text: string): string => text.replaceAll(/[&<>"]/g, (character) => entities[character] ?? '');
