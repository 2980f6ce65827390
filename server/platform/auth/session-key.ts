import { sealedUnder, sealForServer, unsealForServer } from '../crypto/vault.ts';
import type { ServerSettings } from '../db/server-settings.ts';
import { insertSetting, readSetting, replaceSetting } from '../db/server-settings.ts';
import { masterKeys } from '../crypto/master-key.ts';
import type { AppContext } from '../app-context.ts';

const NAME = 'session-key';
const known = new WeakMap<AppContext, Promise<Buffer>>();

/**
 * Returns the key for session tokens, mail and SMS codes and recovery codes: created once, the same
 * for every server on this database, and stored only sealed under the master key (G51).
 * @throws if it was sealed under a key that this server doesn't have.
 */
export function sessionKey(world: AppContext): Promise<Buffer> {
  const there = known.get(world);
  if (there) return there;
  const reading = world.store.system((sql) => readOrMake(sql, world));
  known.set(world, reading);
  reading.catch(() => known.delete(world));
  return reading;
}

async function readOrMake(sql: ServerSettings, world: AppContext): Promise<Buffer> {
  const fresh = Buffer.from(world.chance.bytes(32)).toString('base64url');
  await insertSetting(sql, NAME, sealForServer(world, NAME, fresh));
  const value = (await readSetting(sql, NAME)) ?? '';
  return Buffer.from(await plainOf(sql, world, value), 'base64url');
}

/** Seals a value that an earlier version stored in clear text. */
async function plainOf(sql: ServerSettings, world: AppContext, value: string): Promise<string> {
  if (sealedUnder(value) !== null) return unsealForServer(world, NAME, value);
  await replaceSetting(sql, NAME, value, sealForServer(world, NAME, value));
  return value;
}

/**
 * Seals the session key under the current master key, if it isn't already. Returns whether it
 * changed.
 */
export const rewrapSessionKey = (world: AppContext): Promise<boolean> =>
  world.store.system(async (sql) => {
    const value = await readSetting(sql, NAME);
    if (value === null || sealedUnder(value) === masterKeys(world)[0].id) return false;
    const plain = await plainOf(sql, world, value);
    await replaceSetting(sql, NAME, value, sealForServer(world, NAME, plain));
    return true;
  });
