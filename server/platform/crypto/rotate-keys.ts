import { rewrapSessionKey } from '../auth/session-key.ts';
import { recordMasterKey } from './check-master-key.ts';
import { addMasterKey, dropFormerKeys, forgetMasterKeys, masterKeys } from './master-key.ts';
import { rewrap } from './vault.ts';
import type { AppContext } from '../app-context.ts';

/**
 * Seals the keys of all providers under a new master key. If the master keys are in the settings,
 * the operator has already put the new one first; in a file, this function creates it. Reads
 * continue meanwhile: both keys stay until `forget`, which keeps only the current one.
 */
export async function rotateKeys(
  world: AppContext,
  forget: boolean,
): Promise<{ readonly ok: boolean; readonly says: string }> {
  const named = world.config.secretKey !== null;
  if (!forget && !named) addMasterKey(world);
  forgetMasterKeys(world);
  const former = masterKeys(world).length - 1;
  if (!forget && former === 0)
    return {
      ok: false,
      says: 'Put a new key before the present one in DAYBOOK_SECRET_KEY, with a comma between them, start the servers anew, then run this again.',
    };
  let changed = 0;
  let all = 0;
  for (const tenant of await world.store.tenants()) {
    all += 1;
    if (await world.store.tenant(tenant, (tx) => rewrap(tx, world))) changed += 1;
  }
  await rewrapSessionKey(world);
  await recordMasterKey(world);
  const done = `The keys of ${changed} of ${all} providers were sealed anew.`;
  if (!forget)
    return {
      ok: true,
      says: `${done} The former key is kept: run this with --forget once it is not needed for a backup.`,
    };
  if (named)
    return { ok: true, says: `${done} The former keys can be taken out of DAYBOOK_SECRET_KEY.` };
  dropFormerKeys(world);
  return { ok: true, says: `${done} ${former} former keys were taken away.` };
}
