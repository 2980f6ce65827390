import { isIP } from 'node:net';
import type { Failure } from '#contract/errors.ts';
import type { Ms, TenantId } from '#contract/ids.ts';
import { utcDay } from '#contract/time/day.ts';
import { MESSAGES } from '#contract/messages.ts';
import type { Result } from '#contract/result.ts';
import { failed, ok } from '#contract/result.ts';
import { LIMITS } from '#contract/limits.ts';
import { isAhead } from '../clock-bounds.ts';
import type { Principal } from '../http/handler.ts';
import { networkOfV6 } from '../http/network.ts';
import { StoreError } from '../db/retry.ts';
import type { AppContext } from '../app-context.ts';
import { hashApiKey, isSecret } from './api-key-secret.ts';
import { readHolder } from './sessions.ts';

/** Returns the API key of a request; null if it carries none. */
export function keyIn(request: Request): string | null {
  const sent = /^bearer +(\S+)$/i.exec(request.headers.get('authorization') ?? '')?.[1];
  return sent?.startsWith('dbu_') === true ? sent : null;
}

/**
 * Returns the user of an API key with its current roles and companies, limited to the abilities of
 * the key. Reads the database each time, so revoking takes effect at once. A key of another
 * provider is unknown here. Fails with `expired` after the key's last day.
 */
export async function authenticateKey(
  context: AppContext,
  tenant: TenantId,
  secret: string,
  ip: string,
): Promise<Result<Principal>> {
  if (!isSecret(secret)) return failed(NO_KEY);
  const hash = hashApiKey(secret);
  const now = context.clock.now();
  const from = getNetwork(ip);
  const found = await context.store.tenant(
    tenant,
    async (tx) => {
      const row = await tx.sql
        .selectFrom('api_key')
        .selectAll()
        .where('tenant_id', '=', tenant)
        .where('hash', '=', hash)
        .executeTakeFirst();
      return row && { row, holder: await readHolder(tx, row.user_id) };
    },
    { readOnly: true },
  );
  if (!found?.holder) return failed(NO_KEY);
  const { row, holder } = found;
  if (!isAhead(row.until, now, LIMITS.apiKeyDays * 86_400_000)) return failed(OVER);
  // Users see the day of the last use, so a change within the day is written only now and then.
  if (
    row.used_at === null ||
    now - row.used_at >= LAST_USE_INTERVAL_MS ||
    now < row.used_at ||
    utcDay(now) !== utcDay(row.used_at)
  ) {
    const noted = context.store.tenant(tenant, ({ sql }) =>
      sql
        .updateTable('api_key')
        .set({ used_at: now, used_from: from })
        .where('tenant_id', '=', tenant)
        .where('id', '=', row.id)
        .execute(),
    );
    // With a full disk, a key can still read.
    await noted.catch((error: unknown) => {
      if (!(error instanceof StoreError && error.kind === 'disk-full')) throw error;
    });
  }
  return ok({
    ...holder,
    sessionId: row.id,
    actor: holder.userId,
    impersonation: null,
    beganAt: row.made_at,
    authenticatedAt: 0,
    key: { id: row.id, abilities: row.abilities },
  });
}

/**
 * Returns the first 24 bits of an IPv4 address or the first 48 of an IPv6 address: it shows where a
 * key is used, not by whom.
 */
export function getNetwork(ip: string): string {
  const family = isIP(ip);
  if (family === 6) return networkOfV6(ip, 3);
  return family === 4 ? ip.replace(/\d+$/, '0/24') : '';
}

const LAST_USE_INTERVAL_MS: Ms = 5 * 60_000;
const NO_KEY: Failure = { kind: 'signed-out', message: MESSAGES.signedOut };
const OVER: Failure = { kind: 'expired', message: MESSAGES.keyExpired };
