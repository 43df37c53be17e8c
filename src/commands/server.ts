import { Problem } from '#domain/problems.ts';
import type { ServerSettings } from '#domain/server.ts';
import { lockServerSettings, saveSettings } from '#store/server.ts';
import { lockUser } from '#store/users.ts';
import { type Context, write, writeAlone } from './context.ts';

const theServer = { type: 'account', id: 'server', name: 'This server' } as const;

/** Alone, since it can end the access of people without a second factor. Refuses a person who has none. */
export const saveServerSettings = (context: Context, settings: ServerSettings) =>
  writeAlone(context, async (tx) => {
    const before = await lockServerSettings(tx);
    const isSame = Object.entries(before).every(([name, value]) => settings[name as keyof ServerSettings] === value);
    if (isSame) return tx.unchanged(before);
    // Otherwise a mistake would lock out the only one who could undo it.
    if (settings.twoFactorRequired && tx.actor.type === 'user' && !(await lockUser(tx, tx.actor.id)).twoFactor)
      throw new Problem('second_factor_first');
    await saveSettings(tx, settings);
    await tx.record({ action: 'account.settings_changed', object: theServer, before, after: settings });
    return settings;
  });

/** Before the mail is sent, so that nothing leaves the server without permission. */
export const recordMailTest = (context: Context, email: string) =>
  write(context, (tx) =>
    tx.record({ action: 'account.mail_tested', object: theServer, after: { email }, touches: 'nothing' }),
  );
