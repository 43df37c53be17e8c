import { Command } from '../../ui/Command.tsx';

/** How to get the setup link, for every kind of installation. */
export const SetupLinkHelp = () => (
  <>
    <p>
      Open the link that the server prints at every start until it has an administrator. To print it again, run this on
      the server:
    </p>
    <Command text="burgee setup-link" />
    <p>Or, in a source checkout:</p>
    <Command text="npm run burgee -- setup-link" />
  </>
);
