import { utcDay } from '#contract/time/day.ts';
import type { Ms } from '#contract/ids.ts';
import { PROTOCOL } from '#contract/limits.ts';
import type { Bootstrap } from '#contract/sync/calls.ts';
import { loadBranding } from '#server/platform/tenancy/branding.ts';
import type { Principal } from '#server/platform/http/handler.ts';
import { loadCurrentUser } from '#server/platform/auth/current-user.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import { replicatedRows } from './bootstrap-rows.ts';

/**
 * An epoch that no log has, so that a device loads everything as soon as its user has chosen a
 * password.
 */
export const HELD_EPOCH = 'password-first';

/**
 * An epoch that no log has, so that a device whose next events are archived loads everything again
 * instead of missing them (ARCH-2).
 */
export const CUT_EPOCH = 'log-cut';

/**
 * Returns the bootstrap of a user who must choose a password first (AUTH-12): the user and the
 * branding, and no data.
 */
export async function heldBootstrap(tx: TenantTx, session: Principal, now: Ms): Promise<Bootstrap> {
  const me = await loadCurrentUser(tx, session);
  const branding = await loadBranding(tx);
  return {
    protocol: PROTOCOL,
    epoch: HELD_EPOCH,
    cursor: 0,
    serverNow: now,
    me,
    branding,
    windowFrom: utcDay(now),
    days: [],
    people: [{ id: me.id, name: me.name }],
    ...replicatedRows(() => []),
    sources: null,
  };
}
