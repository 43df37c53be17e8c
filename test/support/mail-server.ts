/** A real SMTP server that parses and keeps what it accepts, and can misbehave on demand. */
import { EventEmitter, on } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { after } from 'node:test';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer, type SMTPServerDataStream, type SMTPServerSession } from 'smtp-server';

export interface ReceivedMail extends Email {
  readonly text: string;
  readonly html: string;
  /** The addresses that the mail was handed over for. */
  readonly recipients: readonly string[];
}

/**
 * takes: normally. refuses: answers each recipient with this code. hangs: never responds. drops: cuts the
 * connection in the middle of DATA. holds: keeps the mail, and answers only when released.
 */
type Manner = 'takes' | { readonly refuses: number } | 'hangs' | 'drops' | 'holds';

export interface MailServer {
  /** For SMTP_URL. */
  readonly url: string;
  /** Applies to what comes next. */
  manner: Manner;
  /** Every mail that came in whole, in order. */
  readonly mails: readonly ReceivedMail[];
  /** The logins in order, as user:password. */
  readonly logins: readonly string[];
  /** The next mail that nobody waited for yet. */
  nextMail(): Promise<ReceivedMail>;
  /** The next connection that nobody waited for yet. */
  nextConnection(): Promise<void>;
  /** Returns the mails that it holds, and accepts new ones. */
  release(): void;
}

/** Far more than anything here takes: what does not come fails the test instead of holding it up. */
const timeoutMs = 30_000;

/** Listens on a free port; gone after the tests of the file, or of the test that asks. */
export async function startMailServer(): Promise<MailServer> {
  const events = new EventEmitter();
  const [received, connected] = [inOrder<ReceivedMail>(events, 'mail'), inOrder<void>(events, 'connection')];
  const sockets = new Map<number, Socket>();
  const mails: ReceivedMail[] = [];
  const logins: string[] = [];
  let held: (() => void)[] = [];

  const take = async (stream: SMTPServerDataStream, session: SMTPServerSession): Promise<void> => {
    const mail = await parse(stream, session);
    mails.push(mail);
    const answered = server.manner === 'holds' ? new Promise<void>((resolve) => held.push(resolve)) : undefined;
    events.emit('mail', mail);
    await answered;
  };
  const smtp = new SMTPServer({
    disabledCommands: ['STARTTLS'],
    authOptional: true,
    allowInsecureAuth: true,
    logger: false,
    onAuth: ({ username, password }, _session, done) => {
      logins.push(`${username}:${password}`);
      done(null, { user: username });
    },
    onConnect: (_session, done) => {
      events.emit('connection');
      if (server.manner !== 'hangs') done();
    },
    onRcptTo: (_address, _session, done) => {
      const { manner } = server;
      if (typeof manner === 'string') done();
      else done(Object.assign(new Error('not today'), { responseCode: manner.refuses }));
    },
    onData: (stream, session, done) => {
      if (server.manner === 'drops') stream.once('data', () => sockets.get(session.remotePort)?.destroy());
      else take(stream, session).then(() => done(), done);
    },
  });
  // A client that is killed leaves a broken connection behind.
  smtp.on('error', () => undefined);
  smtp.server.on('connection', (socket: Socket) => {
    const port = socket.remotePort ?? 0;
    sockets.set(port, socket);
    socket.once('close', () => sockets.delete(port));
  });
  await new Promise<void>((resolve) => smtp.listen(0, '127.0.0.1', resolve));
  after(async () => {
    const closed = new Promise<void>((resolve) => smtp.close(resolve));
    for (const socket of sockets.values()) socket.destroy();
    await closed;
  });

  const server: MailServer = {
    url: `smtp://127.0.0.1:${(smtp.server.address() as AddressInfo).port}`,
    manner: 'takes',
    mails,
    logins,
    nextMail: received,
    nextConnection: connected,
    release: () => {
      server.manner = 'takes';
      for (const answer of held) answer();
      held = [];
    },
  };
  return server;
}

async function parse(stream: SMTPServerDataStream, { envelope }: SMTPServerSession): Promise<ReceivedMail> {
  const mail = await PostalMime.parse(await buffer(stream));
  const { text = '', html = '' } = mail;
  return { ...mail, text, html, recipients: envelope.rcptTo.map(({ address }) => address) };
}

/** Waits for the events of a name one after the other; none is lost meanwhile. */
export function inOrder<Value>(events: EventEmitter, name: string): () => Promise<Value> {
  const each = on(events, name);
  return async () => {
    const late = AbortSignal.timeout(timeoutMs);
    const tooLate = new Promise<never>((_, reject) => {
      late.addEventListener('abort', () => reject(new Error(`no ${name} within ${timeoutMs} ms`)));
    });
    const { value } = await Promise.race([each.next(), tooLate]);
    return (value as [Value])[0];
  };
}

/** The only link of a mail, the same in both of its parts. Undefined when there is none, or more than one. */
export function linkIn({ text, html }: Pick<ReceivedMail, 'text' | 'html'>): string | undefined {
  const links = new Set([...text.matchAll(/https?:\/\/\S+/g), ...html.matchAll(/(?<=href=")[^"]+/g)].map(String));
  return links.size === 1 ? [...links][0] : undefined;
}
