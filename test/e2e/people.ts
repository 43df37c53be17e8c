/** The steps that people take on the account pages. */
import type { Page } from 'playwright-core';
import type { Server } from '../support/process.ts';

export const ana = { name: 'Ana Ruiz', email: 'ana@example.org', password: 'nine violet kites drift' };

export const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', { level: 1, name });
export const field = (page: Page, label: string) => page.getByLabel(label, { exact: true });
export const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();

/** The address that the first start printed. */
export const setupLink = async (server: Server): Promise<string> =>
  (await server.says(/(http:\/\/\S+\/setup\?token=\S+)/))[1] ?? '';

/** The address in a mail that could not be sent, as the log tells it. */
export async function mailedLink(
  server: Server,
  kind: 'invitation' | 'password-reset',
  email: string,
): Promise<string> {
  const line = new RegExp(`"kind":"${kind}","email":"${email.replaceAll('.', '\\.')}","link":"([^"]+)"`);
  return (await server.says(line))[1] ?? '';
}

export async function setUp(page: Page, server: Server): Promise<void> {
  await page.goto(await setupLink(server));
  await field(page, 'Your name').fill(ana.name);
  await field(page, 'Email').fill(ana.email);
  await field(page, 'Password').fill(ana.password);
  await press(page, 'Create administrator');
  await heading(page, 'Getting started').waitFor();
}

/** The page of one's own things. */
export async function goToMe(page: Page): Promise<void> {
  await page.goto('/me');
  await page.getByText('This browser', { exact: true }).waitFor();
}

/** After signing in, people see the flags first. */
export const firstPage = (page: Page) => heading(page, 'Flags');

export async function signOut(page: Page): Promise<void> {
  await press(page, ana.name);
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await heading(page, 'Sign in').waitFor();
}

/** Sends email and password; what follows is up to the server. */
export async function enterPassword(page: Page, { email, password }: { email: string; password: string }) {
  await field(page, 'Email').fill(email);
  await field(page, 'Password').fill(password);
  await press(page, 'Sign in');
}
