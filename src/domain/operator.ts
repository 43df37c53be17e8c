/** Messages for operators. */

/** How to run a Burgee command, in every kind of installation: archive, systemd, container, checkout. */
export const commandLine = (command: string): string =>
  `burgee ${command} (in a checkout: npm run burgee -- ${command})`;

/** An error that an operator can fix. The message is all they need; any other error is a bug and prints its stack. */
export class OperatorError extends Error {}

/** The database does not respond; it may do so later. */
export class DatabaseDown extends OperatorError {}
