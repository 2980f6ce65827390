import type { Ms } from '#contract/ids.ts';
import type { Store } from '../../platform/db/store.ts';
import { tenantOfHost } from '../../platform/db/tenants.ts';
import { usernameKey } from '../../platform/auth/usernames.ts';
import { endFactorFailures } from './attempt-rate-limit.ts';
import { endFailures } from './rate-limit.ts';

/**
 * `provider`: the name of the portal at this host. `failures`: the longest row of failures that was
 * deleted; 0 if there were none.
 */
export type Unlocked =
  | { readonly kind: 'unlocked'; readonly provider: string; readonly failures: number }
  | { readonly kind: 'no-provider' }
  | { readonly kind: 'no-account'; readonly provider: string };

/**
 * Deletes the failure counts of an account's passwords and second factors, on known and unknown
 * devices, so that its user can sign in after guessing has locked it (G37). The password and
 * sessions do not change. The audit log records it.
 */
export async function unlock(
  store: Store,
  host: string,
  username: string,
  id: string,
  now: Ms,
): Promise<Unlocked> {
  const tenant = await tenantOfHost(store, host.replace(/:\d+$/, ''));
  if (tenant === null) return { kind: 'no-provider' };
  return store.tenant(tenant, async (tx): Promise<Unlocked> => {
    const { sql } = tx;
    const {
      branding: { name: provider },
    } = await sql
      .selectFrom('provider')
      .select('branding')
      .where('tenant_id', '=', tenant)
      .executeTakeFirstOrThrow();
    const key = usernameKey(username);
    const person = await sql
      .selectFrom('person')
      .select('id')
      .where('tenant_id', '=', tenant)
      .where('username_key', '=', key)
      .executeTakeFirst();
    if (person === undefined) return { kind: 'no-account', provider };
    const ended = [
      ...(await endFailures(tx, key, person.id)),
      ...(await endFactorFailures(tx, person.id)),
    ];
    await sql
      .insertInto('audit')
      .values({
        tenant_id: tenant,
        at: now,
        id,
        what: 'account.unlocked',
        user_id: person.id,
        actor_id: null,
        impersonation_id: null,
        ip: '',
        agent: 'unlock command',
        detail: '{}',
      })
      .execute();
    return { kind: 'unlocked', provider, failures: Math.max(0, ...ended) };
  });
}
