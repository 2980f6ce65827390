import { createHmac } from 'node:crypto';
import type { Ms } from '#contract/ids.ts';
import { columnOver } from '../clock-bounds.ts';
import type { TenantTx } from '../db/store.ts';

const TURN_MS: Ms = 3_600_000;

/** How many messages an owner, such as a phone number, gets in an hour. */
export interface Turns {
  readonly kind: 'sms-turn' | 'sign-up-turn';
  readonly owner: string;
  readonly perHour: number;
}

/**
 * Takes one of the slots of an hour, each of which is free again after an hour. Concurrent requests
 * cannot exceed the limit. The owner is stored only as a keyed hash. Returns whether a slot was free.
 */
export async function takeTurn(
  { tenant, sql }: TenantTx,
  key: Buffer,
  { kind, owner, perHour }: Turns,
  now: Ms,
): Promise<boolean> {
  for (let turn = 0; turn < perHour; turn += 1) {
    const hash = createHmac('sha256', key)
      .update(`${kind.replace('-', ' ')}|${tenant}|${owner}|${turn}`)
      .digest('hex');
    const taken = { made_at: now, until: now + TURN_MS };
    const row = await sql
      .insertInto('one_time')
      .values({ tenant_id: tenant, hash, kind, user_id: null, data: '{}', used_at: null, ...taken })
      .onConflict((on) =>
        on
          .columns(['tenant_id', 'hash'])
          .doUpdateSet(taken)
          .where(columnOver('one_time.until', now, TURN_MS)),
      )
      .returning('hash')
      .executeTakeFirst();
    if (row) return true;
  }
  return false;
}
