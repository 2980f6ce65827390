import { createHash } from 'node:crypto';
import type { Failure } from '#contract/errors.ts';
import type { Ms, UserId } from '#contract/ids.ts';
import { MESSAGES } from '#contract/messages.ts';
import { isAhead } from '../../platform/clock-bounds.ts';
import { callerNetwork } from '../../platform/http/network.ts';
import type { TenantTx } from '../../platform/db/store.ts';
import { DEVICE_MS } from './devices.ts';

/**
 * The first `quick` failures cause no wait; each later one doubles it, from one second up to
 * `maxMs`.
 */
export interface WaitRule {
  readonly quick: number;
  readonly maxMs: Ms;
  /** The number of failures in a row after which the bucket is closed; null for no limit. */
  readonly max: number | null;
  /** The time after which one failure is forgotten; null if only a success resets the count. */
  readonly leakMs: Ms | null;
}
export const ACCOUNT_RULE: WaitRule = { quick: 5, maxMs: 15 * 60_000, max: 100, leakMs: null };
/** For tries on a device that the user has signed in on before. It expires with the device. */
export const DEVICE_RULE: WaitRule = { ...ACCOUNT_RULE };
/** Many people can share an address, so its limit starts later and is lower. */
export const ADDRESS_RULE: WaitRule = { quick: 30, maxMs: 60_000, max: null, leakMs: 30_000 };
/** For all tries at a provider from unknown devices, because many addresses can try many names. */
export const PROVIDER_RULE: WaitRule = { quick: 300, maxMs: 4_000, max: null, leakMs: 4_000 };

/** The lowest number of failures with the longest wait. */
const SLOWEST = ACCOUNT_RULE.quick + Math.ceil(Math.log2(ACCOUNT_RULE.maxMs / 1_000));
/**
 * Attackers can invent any number of names: a name with fewer than `quick` failures is deleted
 * after half a year, whether or not it exists. Names with more failures stay forever.
 */
const KEEP_MS: Ms = DEVICE_MS;
const CLEANED_AT_ONCE = 500;

export interface Bucket {
  readonly failures: number;
  readonly until: Ms;
  readonly at: Ms;
}
/** The name and the rule of a bucket. */
export interface TriedBucket {
  readonly name: string;
  readonly rule: WaitRule;
}
/**
 * Why a try is refused. `closed`: all later tries are refused too, until a success resets the
 * count.
 */
export interface AttemptRefusal {
  readonly waitMs: Ms;
  readonly closed: boolean;
}

/** Returns the wait before the next try after `failures` failures. */
export const getLockoutWait = (failures: number, { quick, maxMs }: WaitRule): Ms =>
  failures < quick ? 0 : Math.min(maxMs, 1_000 * 2 ** Math.min(failures - quick, 30));

/**
 * Returns the bucket after one more try, or the refusal. A try counts as a failure until it
 * succeeds, so that concurrent tries cannot bypass the count.
 */
export function tryNow(
  stored: Bucket,
  rule: WaitRule,
  now: Ms,
): AttemptRefusal | { readonly next: Bucket } {
  const { max, leakMs } = rule;
  const { failures, until, at } = boundedBucket(stored, rule, now);
  if (max !== null && failures >= max) return { waitMs: rule.maxMs, closed: true };
  if (now < until) return { waitMs: until - now, closed: false };
  const leaked = leakMs === null ? 0 : Math.min(failures, Math.floor((now - at) / leakMs));
  const count = failures - leaked + 1;
  // The rest of a partly elapsed leak interval carries over.
  return {
    next: {
      failures: count,
      until: now + getLockoutWait(count, rule),
      at: leakMs === null || count === 1 ? now : at + leaked * leakMs,
    },
  };
}

/**
 * Corrects timestamps that were written while the clock was ahead: `at` is at most now, and no wait
 * exceeds the rule.
 */
function boundedBucket({ failures, until, at }: Bucket, rule: WaitRule, now: Ms): Bucket {
  return {
    failures,
    until: isAhead(until, now, getLockoutWait(failures, rule)) ? until : 0,
    at: Math.min(at, now),
  };
}

/**
 * Returns the buckets of an unknown device: the account name, whether or not it exists; the
 * address, for IPv6 the caller's network; and the provider.
 */
export function strangersBuckets(
  usernameKey: string,
  ip: string,
): readonly [TriedBucket, TriedBucket, TriedBucket] {
  const account = createHash('sha256').update(usernameKey).digest('hex').slice(0, 40);
  return [
    { name: `account:${account}`, rule: ACCOUNT_RULE },
    { name: `address:${callerNetwork(ip)}`, rule: ADDRESS_RULE },
    { name: 'provider', rule: PROVIDER_RULE },
  ];
}

/**
 * Returns the bucket of a known device. Only tries on the device count in it, so nobody else can
 * slow or close it.
 */
export const deviceBucket = (deviceId: string, userId: UserId): TriedBucket => ({
  name: `device:${deviceId}:${userId}`,
  rule: DEVICE_RULE,
});

/**
 * Counts a try in every bucket, or in none if one refuses it. Locks the buckets' rows until the
 * transaction ends. `last`: a bucket is closed now.
 */
export async function countTry(
  tx: TenantTx,
  tried: readonly TriedBucket[],
  now: Ms,
): Promise<AttemptRefusal | { readonly last: boolean }> {
  const counted: { readonly one: TriedBucket; readonly next: Bucket }[] = [];
  let waitMs = 0;
  let closed = false;
  for (const one of tried) {
    const outcome = tryNow(await held(tx, one.name, now), one.rule, now);
    if ('next' in outcome) counted.push({ one, next: outcome.next });
    else {
      waitMs = Math.max(waitMs, outcome.waitMs);
      closed ||= outcome.closed;
    }
  }
  if (counted.length < tried.length) return { waitMs, closed };
  for (const { one, next } of counted) await put(tx, one, next);
  return { last: counted.some(({ one, next }) => next.failures === one.rule.max) };
}

/** Reverts a try that was counted but never checked. */
export async function giveBack(
  tx: TenantTx,
  tried: readonly TriedBucket[],
  now: Ms,
): Promise<void> {
  for (const one of tried) await lessen(tx, one, now);
}

/**
 * Resets the failure count after a correct password. The address and provider buckets lose only
 * this one try, because others may still be guessing. On a known device it also reopens a closed
 * account bucket at the longest wait, so that the user's own sign-ins do not speed up an attacker.
 */
export async function forgive(
  tx: TenantTx,
  tried: readonly TriedBucket[],
  account: TriedBucket,
  now: Ms,
): Promise<void> {
  const { tenant, sql } = tx;
  for (const one of tried) {
    if (one.rule.leakMs !== null) await lessen(tx, one, now);
    else
      await sql
        .deleteFrom('throttle')
        .where('tenant_id', '=', tenant)
        .where('bucket', '=', one.name)
        .execute();
  }
  await sql
    .updateTable('throttle')
    .set({ failures: SLOWEST })
    .where('tenant_id', '=', tenant)
    .where('bucket', '=', account.name)
    .where('failures', '>', SLOWEST)
    .execute();
  await sql
    .deleteFrom('throttle')
    .where('tenant_id', '=', tenant)
    .where('bucket', 'in', (of) =>
      of
        .selectFrom('throttle')
        .select('bucket')
        .where('tenant_id', '=', tenant)
        .where('forget_at', '<', now)
        .orderBy('forget_at')
        .limit(CLEANED_AT_ONCE)
        .forUpdate()
        .skipLocked(),
    )
    .execute();
}

/** Returns the bucket with its row locked, and creates it if it is missing. */
async function held({ tenant, sql }: TenantTx, name: string, now: Ms): Promise<Bucket> {
  const there = await sql
    .selectFrom('throttle')
    .select(['failures', 'until', 'at'])
    .where('tenant_id', '=', tenant)
    .where('bucket', '=', name)
    .forUpdate()
    .executeTakeFirst();
  return (
    there ??
    sql
      .insertInto('throttle')
      .values({ tenant_id: tenant, bucket: name, failures: 0, until: 0, at: now, forget_at: now })
      .onConflict((on) =>
        on
          .columns(['tenant_id', 'bucket'])
          .doUpdateSet((of) => ({ failures: of.ref('throttle.failures') })),
      )
      .returning(['failures', 'until', 'at'])
      .executeTakeFirstOrThrow()
  );
}

/**
 * Removes one failure. Account and device buckets have no wait afterwards; address and provider
 * buckets wait according to the new count.
 */
async function lessen(tx: TenantTx, one: TriedBucket, now: Ms): Promise<void> {
  const { failures, at } = boundedBucket(await held(tx, one.name, now), one.rule, now);
  const count = Math.max(0, failures - 1);
  await put(tx, one, {
    failures: count,
    until: now + (one.rule.leakMs === null ? 0 : getLockoutWait(count, one.rule)),
    at,
  });
}

async function put(
  { tenant, sql }: TenantTx,
  { name, rule }: TriedBucket,
  bucket: Bucket,
): Promise<void> {
  await sql
    .updateTable('throttle')
    .set({ ...bucket, forget_at: forgetAt(bucket, rule) })
    .where('tenant_id', '=', tenant)
    .where('bucket', '=', name)
    .execute();
}

function forgetAt({ failures, at }: Bucket, rule: WaitRule): Ms | null {
  if (rule.leakMs !== null) return at + failures * rule.leakMs;
  return rule === ACCOUNT_RULE && failures >= rule.quick ? null : at + KEEP_MS;
}

/**
 * Deletes the failure counts of an account's passwords, on known and unknown devices. Returns the
 * deleted counts.
 */
export async function endFailures(
  { tenant, sql }: TenantTx,
  usernameKey: string,
  userId: UserId,
): Promise<readonly number[]> {
  const [account] = strangersBuckets(usernameKey, '');
  const ended = await sql
    .deleteFrom('throttle')
    .where('tenant_id', '=', tenant)
    .where((one) =>
      one.or([one('bucket', '=', account.name), one('bucket', 'like', `device:%:${userId}`)]),
    )
    .where('bucket', 'not like', '%:factor:%')
    .returning('failures')
    .execute();
  return ended.map(({ failures }) => failures);
}

/** The failure of somebody who has tried too often, or who has to wait for their turn. */
export const tooMany = (retryAfterMs: Ms): Failure => ({
  kind: 'too-many',
  message: MESSAGES.tooManyTries,
  retryAfterMs,
});
