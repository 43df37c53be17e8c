/** What an operator is told. */

/** How an operator runs one of our commands. True wherever Burgee is installed: archive, systemd, container, checkout. */
export const commandLine = (command: string): string =>
  `burgee ${command} (in a checkout: npm run burgee -- ${command})`;

/** Something that an operator can put right. The message is all they need; any other error is a bug and shows its stack. */
export class OperatorError extends Error {}
