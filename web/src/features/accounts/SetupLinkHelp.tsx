import { Command } from '../../ui/Command.tsx';

/** Where the link comes from that makes the first administrator. */
export const SetupLinkHelp = () => (
  <>
    <p>
      Open the address that the server printed when it started for the first time. To print a new one, run this where
      Burgee is installed:
    </p>
    <Command text="npm run burgee -- setup-link" />
  </>
);
