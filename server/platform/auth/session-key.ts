import { sealedUnder, sealForServer, unsealForServer } from '../crypto/vault.ts';
import type { VaultContext } from '../crypto/vault.ts';
import type { ServerSettingsTx } from '../db/server-settings.ts';
import { insertSetting, readSetting, replaceSetting } from '../db/server-settings.ts';
import type { AppContext } from '../app-context.ts';

const NAME = 'session-key';
/**
 * Returns the key for session tokens, mail and SMS codes and recovery codes: created once, the same
 * for every server on this database, and stored only sealed under the master key (G51).
 * @throws if it was sealed under a key that this server doesn't have.
 */
export type SessionKey = () => Promise<Buffer>;

/** Reads the key once, at its first use. */
export function makeSessionKey(context: Sealing): SessionKey {
  let known: Promise<Buffer> | null = null;
  return () => {
    if (known) return known;
    const reading = context.store.system((sql) => readOrMake(sql, context));
    known = reading;
    reading.catch(() => {
      known = null;
    });
    return reading;
  };
}

type Sealing = VaultContext & Pick<AppContext, 'store'>;

async function readOrMake(sql: ServerSettingsTx, context: VaultContext): Promise<Buffer> {
  const fresh = Buffer.from(context.chance.bytes(32)).toString('base64url');
  await insertSetting(sql, NAME, sealForServer(context, NAME, fresh));
  const value = (await readSetting(sql, NAME)) ?? '';
  return Buffer.from(await unsealKey(sql, context, value), 'base64url');
}

/** Seals a value that an earlier version stored in clear text. */
async function unsealKey(
  sql: ServerSettingsTx,
  context: VaultContext,
  value: string,
): Promise<string> {
  if (sealedUnder(value) !== null) return unsealForServer(context, NAME, value);
  await replaceSetting(sql, NAME, value, sealForServer(context, NAME, value));
  return value;
}

/**
 * Seals the session key under the current master key, if it isn't already. Returns whether it
 * changed.
 */
export const rewrapSessionKey = (context: Sealing): Promise<boolean> =>
  context.store.system(async (sql) => {
    const value = await readSetting(sql, NAME);
    if (value === null || sealedUnder(value) === context.keyring.keys()[0].id) return false;
    const plain = await unsealKey(sql, context, value);
    await replaceSetting(sql, NAME, value, sealForServer(context, NAME, plain));
    return true;
  });
