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
import { StoreFault } from '../db/retry.ts';
import type { AppContext } from '../app-context.ts';
import { hashOf, isSecret } from './api-key-secret.ts';
import { readHolder } from './sessions.ts';

/** The API key that a request carries; null where it carries something else. */
export function keyIn(request: Request): string | null {
  const sent = /^bearer +(\S+)$/i.exec(request.headers.get('authorization') ?? '')?.[1];
  return sent?.startsWith('dbu_') === true ? sent : null;
}

/**
 * Who a key stands for: its user with the roles and companies of this moment, and of the abilities
 * those that it was given. Asked of the database each time: what was revoked ends at once. A key of
 * another provider does not exist here. `expired`: its day is over.
 */
export async function authenticateKey(
  world: AppContext,
  tenant: TenantId,
  secret: string,
  ip: string,
): Promise<Result<Principal>> {
  if (!isSecret(secret)) return failed(NO_KEY);
  const hash = hashOf(secret);
  const now = world.clock.now();
  const from = networkOf(ip);
  const found = await world.store.tenant(
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
  // Its day is what is told: what changes within a day is written now and then.
  if (
    row.used_at === null ||
    now - row.used_at >= TOLD_MS ||
    now < row.used_at ||
    utcDay(now) !== utcDay(row.used_at)
  ) {
    const noted = world.store.tenant(tenant, ({ sql }) =>
      sql
        .updateTable('api_key')
        .set({ used_at: now, used_from: from })
        .where('tenant_id', '=', tenant)
        .where('id', '=', row.id)
        .execute(),
    );
    // Without space on the disk a key can still read.
    await noted.catch((error: unknown) => {
      if (!(error instanceof StoreFault && error.kind === 'disk-full')) throw error;
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

/** Of IPv4 the first 24 bits, of IPv6 the first 48: where a key is used, and not by whom. */
export function networkOf(ip: string): string {
  const family = isIP(ip);
  if (family === 6) return networkOfV6(ip, 3);
  return family === 4 ? ip.replace(/\d+$/, '0/24') : '';
}

const TOLD_MS: Ms = 5 * 60_000;
const NO_KEY: Failure = { kind: 'signed-out', message: MESSAGES.signedOut };
const OVER: Failure = { kind: 'expired', message: MESSAGES.keyExpired };
