/** The command line: the server, and what an operator does beside it. */
import { Command } from 'commander';
import { OperatorError } from '#domain/operator.ts';
import { Problem } from '#domain/problems.ts';
import manifest from '../package.json' with { type: 'json' };
import { addBackupCommands } from './cli/backup.ts';
import { addCopyCommand } from './cli/copy.ts';
import { addDoctorCommand } from './cli/doctor.ts';
import { addKeyCommands } from './cli/keys.ts';
import { addOutboxCommands } from './cli/outbox.ts';
import { addSetupLinkCommand } from './cli/setup-link.ts';
import { readConfig } from './config.ts';

// The database holds links that open accounts: what we make is for this user alone.
process.umask(0o077);
// Who reads only the first lines of a list closes the pipe; that is no fault.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));

const program = new Command('burgee')
  .description('A feature-flag control plane that a team runs itself.')
  .version(manifest.version, '-V, --version', 'print the version');
program
  .command('serve')
  .description('start the server')
  // Loaded only here: the other commands need no web server.
  .action(async () => (await import('./serve.ts')).serve(readConfig(process.env)));
addKeyCommands(program);
addOutboxCommands(program);
addSetupLinkCommand(program);
addCopyCommand(program);
addBackupCommands(program);
addDoctorCommand(program);

try {
  await program.parseAsync();
} catch (error) {
  const { message, stack, syscall } = error as NodeJS.ErrnoException;
  // Files, folders and sockets are the operator's affair, too.
  const isExpected = error instanceof OperatorError || error instanceof Problem || syscall !== undefined;
  process.stderr.write(`${isExpected ? message : `Unexpected error, please report it:\n${stack}`}\n`);
  process.exit(1);
}
