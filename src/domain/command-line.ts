/** How an operator runs one of our commands. True wherever Burgee is installed: archive, systemd, container, checkout. */
export const commandLine = (command: string): string =>
  `burgee ${command} (in a checkout: npm run burgee -- ${command})`;
