import type { Command } from 'commander';
import { offerSetup } from '#commands/accounts.ts';
import { setupLink } from '#jobs/mail.ts';
import { publicUrlOf, withStore } from './store.ts';

export function addSetupLinkCommand(program: Command): void {
  program
    .command('setup-link')
    .description('print a new link that sets up the first administrator, while there is none; older links are dead')
    .action(() =>
      withStore(async ({ context }) => {
        const token = await offerSetup(context);
        process.stdout.write(`${setupLink(publicUrlOf(), token)}\n`);
      }),
    );
}
