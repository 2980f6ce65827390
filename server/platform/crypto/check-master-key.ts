import { insertSetting, readSetting, replaceSetting } from '../db/server-settings.ts';
import { canUnwrap } from './vault.ts';
import type { AppContext } from '../app-context.ts';
import { formatList } from '#contract/i18n/list.ts';
import { configMessages as t } from '../config.messages.en.ts';

/** The setting with the id of this database's master key. The id reveals nothing about the key. */
const NAME = 'master-key-id';

/**
 * Checks that this server has the master key of its database, and records the key's id if the
 * database has none yet.
 * @throws a sentence for the operator if the database was sealed under another key.
 */
export async function checkMasterKey(world: AppContext): Promise<void> {
  const [present] = world.keyring.keys();
  const recorded = await world.store.system((sql) => readSetting(sql, NAME));
  if (recorded === null && !(await opensWhatIsThere(world)))
    throw new Error(`${t.wrongKey} ${t.shareKey}`);
  const id =
    recorded ??
    (await world.store.system(async (sql) => {
      await insertSetting(sql, NAME, present.id);
      return (await readSetting(sql, NAME)) ?? present.id;
    }));
  if (!hasKey(world, id))
    throw new Error(
      [
        t.wrongKey,
        t.keyIds({
          id,
          own: formatList(
            world.keyring.keys().map((key) => key.id),
            'and',
          ),
        }),
        t.shareKey,
      ].join(' '),
    );
  await world.sessionKey();
}

/** Reads the file again to find a key that was added a moment ago. */
function hasKey(world: AppContext, id: string): boolean {
  if (world.keyring.keys().some((key) => key.id === id)) return true;
  world.keyring.forget();
  return world.keyring.keys().some((key) => key.id === id);
}

/** For databases from before key ids were recorded: tries to open each provider's own key. */
async function opensWhatIsThere(world: AppContext): Promise<boolean> {
  for (const tenant of await world.store.tenants()) {
    if (!(await world.store.tenant(tenant, (tx) => canUnwrap(tx, world), { readOnly: true })))
      return false;
  }
  return true;
}

/**
 * Records the new key after a rotation. From then on, servers that have only former keys refuse to
 * start.
 */
export const recordMasterKey = (world: AppContext): Promise<void> =>
  world.store.system(async (sql) => {
    const [{ id }] = world.keyring.keys();
    const before = await readSetting(sql, NAME);
    if (before === null) await insertSetting(sql, NAME, id);
    else if (before !== id) await replaceSetting(sql, NAME, before, id);
  });
