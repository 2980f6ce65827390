import { rewrapSessionKey } from '../auth/session-key.ts';
import { recordMasterKey } from './check-master-key.ts';
import { rewrap } from './vault.ts';
import type { AppContext } from '../app-context.ts';
import { commandMessages as t } from '../../commands.messages.en.ts';

/**
 * Seals the keys of all providers under a new master key. If the master keys are in the settings,
 * the operator has already put the new one first; in a file, this function creates it. Reads
 * continue meanwhile: both keys stay until `forget`, which keeps only the current one.
 */
export async function rotateKeys(
  context: AppContext,
  forget: boolean,
): Promise<{ readonly ok: boolean; readonly message: string }> {
  const named = context.config.secretKey !== null;
  if (!forget && !named) context.keyring.add();
  context.keyring.forget();
  const former = context.keyring.keys().length - 1;
  if (!forget && former === 0)
    return {
      ok: false,
      message: t.keyMissing,
    };
  let changed = 0;
  let all = 0;
  for (const tenant of await context.store.tenants()) {
    all += 1;
    if (await context.store.tenant(tenant, (tx) => rewrap(tx, context))) changed += 1;
  }
  await rewrapSessionKey(context);
  await recordMasterKey(context);
  const done = t.keysRotated({ changed, all });
  if (!forget)
    return {
      ok: true,
      message: `${done} ${t.formerKeyStays}`,
    };
  if (named) return { ok: true, message: `${done} ${t.removeFormerKeys}` };
  context.keyring.dropFormer();
  return { ok: true, message: `${done} ${t.formerKeysDeleted({ former })}` };
}
