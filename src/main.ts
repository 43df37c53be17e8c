/** The command line: starts the server and runs the operator's commands. */
import { Command } from 'commander';
import { offerSetup } from '#commands/accounts.ts';
import { OperatorError } from '#domain/operator.ts';
import { Problem } from '#domain/problems.ts';
import { setupLink } from '#jobs/mail.ts';
import manifest from '../package.json' with { type: 'json' };
import { addBackupCommands } from './cli/backup.ts';
import { addCodeCommands } from './cli/code-refs.ts';
import { addCopyCommand } from './cli/copy.ts';
import { addDoctorCommand } from './cli/doctor.ts';
import { addImportCommands } from './cli/import.ts';
import { addKeyCommands } from './cli/keys.ts';
import { addOutboxCommands } from './cli/outbox.ts';
import { publicUrlOf, withStore } from './cli/store.ts';
import { readConfig } from './config.ts';

// The database holds invitation and reset links: files we create are readable by this user only.
process.umask(0o077);
// `head` closes the pipe; EPIPE is not an error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));

const program = new Command('burgee')
  .description('A feature-flag control plane that a team runs itself.')
  .version(manifest.version, '-V, --version', 'print the version');
program
  .command('serve')
  .description('start the server')
  // Loaded only here: the other commands need no web server.
  .action(async () => (await import('./serve.ts')).serve(readConfig(process.env)));
program
  .command('demo')
  .description('try Burgee: a server with data that is deleted afterwards, and a shop that follows its flags')
  .option('--no-open', 'do not open a browser')
  .action(async ({ open }: { open: boolean }) =>
    (await import('./demo/demo.ts')).demo(process.env, { open: open && process.stdout.isTTY }),
  );
program
  .command('setup-link')
  .description('print the setup link for the first administrator')
  .action(() =>
    withStore(async ({ context }) => {
      const token = await offerSetup(context);
      if (token === undefined) throw new Problem('setup_done');
      process.stdout.write(`${setupLink(publicUrlOf(), token)}\n`);
    }),
  );
addKeyCommands(program);
addOutboxCommands(program);
addCopyCommand(program);
addBackupCommands(program);
addImportCommands(program);
addCodeCommands(program);
addDoctorCommand(program);

// No top-level await: tests bundle this file as CommonJS.
program.parseAsync().catch((error: NodeJS.ErrnoException) => {
  const { message, stack, syscall } = error;
  // Operators can also fix errors about files, folders and sockets.
  const isExpected = error instanceof OperatorError || error instanceof Problem || syscall !== undefined;
  process.stderr.write(`${isExpected ? message : `Unexpected error, please report it:\n${stack}`}\n`);
  process.exit(1);
});
