import { rewrapSessionKey } from '../auth/session-key.ts';
import { recordMasterKey } from './check-master-key.ts';
import { addMasterKey, dropFormerKeys, forgetMasterKeys, masterKeys } from './master-key.ts';
import { rewrap } from './vault.ts';
import type { AppContext } from '../app-context.ts';

/**
 * A new key of the server for the keys of all providers. Where keys stand in the settings, their
 * operator has put the new one before the former ones; in a file it is made here. Reading goes on
 * all the while: both keys are there until `forget`, which keeps the present one only.
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
