/** Composes emails and sends them by SMTP. */
import { createTransport } from 'nodemailer';
import type { Logger } from 'pino';
import { hasUnannouncedMail, type Mail, pathOf, takeUnannouncedMails } from '#store/outbox.ts';
import { housekeep, type Store } from '#store/sql.ts';
import { GiveUp, type OutboxHandler, type OutboxHandlers } from './outbox.ts';

/** Resolves once the mail server has accepted the message. */
export type SendMail = (mail: Mail) => Promise<void>;

export const linkOf = (publicUrl: string, mail: Mail): string => publicUrl + pathOf(mail);

/** The page that creates the first administrator. */
export const setupLink = (publicUrl: string, token: string): string => `${publicUrl}/setup?token=${token}`;

/** In milliseconds. The outbox retries after a timeout. */
const timeouts = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 20_000 };

export function smtpSender(smtpUrl: string, from: string, publicUrl: string): SendMail {
  const transport = createTransport({ url: smtpUrl, ...timeouts });
  return async (mail) => {
    await transport.sendMail({ from, to: { name: mail.name, address: mail.email }, ...composeMail(mail, publicUrl) });
  };
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
  return { invitation: handler, 'password-reset': handler };
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
  readonly button: string;
  readonly unexpected: string;
}

export function composeMail(mail: Mail, publicUrl: string): { subject: string; text: string; html: string } {
  const words = wordsOf(mail, publicUrl);
  const link = linkOf(publicUrl, mail);
  const expires = `The link works once and expires on ${new Date(mail.expiresAt).toUTCString()}.`;
  return {
    subject: words.subject,
    text: [words.lead, `${words.button}:\n${link}`, expires, words.unexpected].join('\n\n'),
    html: toHtml(words, link, expires),
  };
}

function wordsOf(mail: Mail, publicUrl: string): Words {
  const { host } = new URL(publicUrl);
  if (mail.kind === 'invitation') {
    return {
      subject: `You are invited to Burgee at ${host}`,
      lead: `${mail.invitedBy} invited you (${mail.email}) to Burgee at ${host}. Your team uses it to control who sees which feature.`,
      button: 'Create your account',
      unexpected: 'If you did not expect this email, ignore it. No account is created until you accept.',
    };
  }
  return {
    subject: `Reset your password for Burgee at ${host}`,
    lead: `Someone, probably you, requested a password reset for ${mail.email} in Burgee at ${host}.`,
    button: 'Set a new password',
    unexpected: 'If this was not you, ignore this email. Your password stays the same.',
  };
}

/** Mail clients support only tables and inline styles. The link is repeated below the button for clients that do not show it. */
function toHtml({ subject, lead, button, unexpected }: Words, link: string, expires: string): string {
  const paragraph = (text: string, style = '') =>
    `<p style="margin:0 0 16px;font-size:15px;line-height:1.5;${style}">${escapeHtml(text)}</p>`;
  const quiet = 'font-size:13px;color:#5b6472;';
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeHtml(subject)}</title></head>
<body style="margin:0;padding:24px 12px;background:#f4f5f7;font-family:-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif;color:#1b1f27">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0"><tr><td align="center">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" style="max-width:520px;background:#ffffff;border:1px solid #e2e5ea;border-radius:10px">
<tr><td style="padding:28px 32px">
<p style="margin:0 0 20px;font-size:17px;font-weight:600">Burgee</p>
${paragraph(lead)}
<table role="presentation" cellpadding="0" cellspacing="0" style="margin:8px 0 24px"><tr><td style="background:#1f5fd0;border-radius:7px">
<a href="${escapeHtml(link)}" style="display:inline-block;padding:12px 22px;font-size:15px;font-weight:600;color:#ffffff;text-decoration:none">${escapeHtml(button)}</a>
</td></tr></table>
${paragraph(expires, quiet)}
<p style="margin:0 0 16px;${quiet}line-height:1.5;word-break:break-all">${escapeHtml(link)}</p>
${paragraph(unexpected, `${quiet}margin-bottom:0;`)}
</td></tr></table>
</td></tr></table>
</body>
</html>
`;
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escapeHtml = (text: string): string => text.replaceAll(/[&<>"]/g, (character) => entities[character] ?? '');
