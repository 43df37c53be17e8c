/** Checks everything that an operator can get wrong. Changes nothing. */
import type { Command } from 'commander';
import { greetMailServer } from '#jobs/mail.ts';
import { examineDatabase } from '#operations/doctor/database.ts';
import type { Finding } from '#operations/doctor/finding.ts';
import { type Config, readConfig } from '../config.ts';
import { examineDisks } from './disks.ts';

export function addDoctorCommand(program: Command): void {
  program
    .command('doctor')
    .description('check configuration, database, disk, clock and mail; exits with 1 if something must be fixed')
    .action(async () => {
      const findings = await examine();
      for (const { level, subject, sentence } of findings) {
        process.stdout.write(`${level.padEnd(7)}  ${subject.padEnd(13)}  ${sentence}\n`);
      }
      if (findings.some(({ level }) => level === 'trouble')) process.exitCode = 1;
    });
}

async function examine(): Promise<Finding[]> {
  let config: Config;
  try {
    config = readConfig(process.env);
  } catch (error) {
    const complaints = (error as Error).message.split('\n');
    return complaints.map((sentence) => ({ level: 'trouble', subject: 'configuration', sentence }));
  }
  return [
    ...examineConfig(config),
    ...(await examineDatabase(config)),
    ...examineDisks(config),
    await examineMail(config.mail),
  ];
}

/** Settings that are allowed, but rarely intended. */
function examineConfig({ host, publicUrl, backups }: Config): Finding[] {
  const subject = 'configuration';
  const isLocal = ['127.0.0.1', '::1', 'localhost'].includes(host);
  const warnings: string[] = [];
  if (!publicUrl && !isLocal) warnings.push('PUBLIC_URL is not set: links in mails use the listen address');
  if (publicUrl?.startsWith('http:') && !/^http:\/\/(?:localhost|127\.|\[::1\])/.test(publicUrl)) {
    warnings.push('PUBLIC_URL starts with http: without TLS, passwords and keys can be read in transit');
  }
  if (!backups) warnings.push('BACKUP_FOLDER is not set: there are no nightly backups');
  return [
    { level: 'ok', subject, sentence: 'all variables are valid' },
    ...warnings.map((sentence): Finding => ({ level: 'warning', subject, sentence })),
  ];
}

async function examineMail(mail: Config['mail']): Promise<Finding> {
  const subject = 'mail';
  if (!mail) {
    const sentence = 'SMTP_URL is not set: mails stay in the outbox, and their links are in the log';
    return { level: 'warning', subject, sentence };
  }
  const { host } = new URL(mail.smtpUrl);
  try {
    await greetMailServer(mail.smtpUrl);
    return { level: 'ok', subject, sentence: `${host} accepts our login; nothing was sent` };
  } catch (error) {
    const sentence = `${host} does not accept mails: ${(error as Error).message}. Check SMTP_URL and the mail server`;
    return { level: 'trouble', subject, sentence };
  }
}
