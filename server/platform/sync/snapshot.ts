import { utcDay } from '#contract/time/day.ts';
import type { Ms } from '#contract/ids.ts';
import { PROTOCOL } from '#contract/limits.ts';
import type { Bootstrap } from '#contract/sync/calls.ts';
import { brandingOf } from '#server/platform/tenancy/branding.ts';
import type { Principal } from '#server/platform/http/handler.ts';
import { meOf } from '#server/platform/auth/current-user.ts';
import type { TenantTx } from '#server/platform/db/store.ts';

/**
 * The epoch of nothing: no log has it, so that a device loads all of it as soon as its user has
 * chosen a password.
 */
export const HELD_EPOCH = 'password-first';

/**
 * What a device is told of whose user has to choose a password first (AUTH-12): who that is and how
 * the portal looks, and nothing of its data.
 */
export async function heldBootstrap(tx: TenantTx, session: Principal, now: Ms): Promise<Bootstrap> {
  const me = await meOf(tx, session);
  const branding = await brandingOf(tx);
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
    companies: [],
    jobs: [],
    causes: [],
    problems: [],
    views: [],
    shifts: [],
    preferences: [],
    keys: [],
    sources: null,
  };
}
