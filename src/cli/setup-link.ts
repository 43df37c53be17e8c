import type { Command } from 'commander';
import { offerSetup } from '#commands/accounts.ts';
import { Problem } from '#domain/problems.ts';
import { setupLink } from '#jobs/mail.ts';
import { publicUrlOf, withStore } from './store.ts';

export function addSetupLinkCommand(program: Command): void {
  program
    .command('setup-link')
    .description('print the link that sets up the first administrator, while there is none')
    .action(() =>
      withStore(async ({ context }) => {
        const token = await offerSetup(context);
        if (token === undefined) throw new Problem('setup_done');
        process.stdout.write(`${setupLink(publicUrlOf(), token)}\n`);
      }),
    );
}
