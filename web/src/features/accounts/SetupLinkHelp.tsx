import { Command } from '../../ui/Command.tsx';

/** How to get the link that sets up the first administrator, however Burgee is installed. */
export const SetupLinkHelp = () => (
  <>
    <p>
      Open the link that the server printed when it started for the first time. To print a new one, run this on the
      server:
    </p>
    <Command text="burgee setup-link" />
    <p>Or, in a checkout of the source code:</p>
    <Command text="npm run burgee -- setup-link" />
  </>
);
