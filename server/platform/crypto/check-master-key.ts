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
export async function checkMasterKey(context: AppContext): Promise<void> {
  const [present] = context.keyring.keys();
  const recorded = await context.store.system((sql) => readSetting(sql, NAME));
  if (recorded === null && !(await opensWhatIsThere(context)))
    throw new Error(`${t.wrongKey} ${t.shareKey}`);
  const id =
    recorded ??
    (await context.store.system(async (sql) => {
      await insertSetting(sql, NAME, present.id);
      return (await readSetting(sql, NAME)) ?? present.id;
    }));
  if (!hasKey(context, id))
    throw new Error(
      [
        t.wrongKey,
        t.keyIds({
          id,
          own: formatList(
            context.keyring.keys().map((key) => key.id),
            'and',
          ),
        }),
        t.shareKey,
      ].join(' '),
    );
  await context.sessionKey();
}

/** Reads the file again to find a key that was added a moment ago. */
function hasKey(context: AppContext, id: string): boolean {
  if (context.keyring.keys().some((key) => key.id === id)) return true;
  context.keyring.forget();
  return context.keyring.keys().some((key) => key.id === id);
}

/** For databases from before key ids were recorded: tries to open each provider's own key. */
async function opensWhatIsThere(context: AppContext): Promise<boolean> {
  for (const tenant of await context.store.tenants()) {
    if (!(await context.store.tenant(tenant, (tx) => canUnwrap(tx, context), { readOnly: true })))
      return false;
  }
  return true;
}

/**
 * Records the new key after a rotation. From then on, servers that have only former keys refuse to
 * start.
 */
export const recordMasterKey = (context: AppContext): Promise<void> =>
  context.store.system(async (sql) => {
    const [{ id }] = context.keyring.keys();
    const before = await readSetting(sql, NAME);
    if (before === null) await insertSetting(sql, NAME, id);
    else if (before !== id) await replaceSetting(sql, NAME, before, id);
  });
