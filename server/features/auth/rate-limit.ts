import { createHash } from 'node:crypto';
import type { Ms, UserId } from '#contract/ids.ts';
import { isAhead } from '../../platform/clock-bounds.ts';
import { callerNetwork } from '../../platform/http/network.ts';
import type { TenantTx } from '../../platform/db/store.ts';
import { DEVICE_MS } from './devices.ts';

/**
 * `quick` failures cost nothing; each one after them doubles the wait from a second up to `mostMs`.
 */
export interface Rule {
  readonly quick: number;
  readonly mostMs: Ms;
  /** So many in a row are looked at, and no more, ever. Null: any number. */
  readonly most: number | null;
  /** One failure less in every so long. Null: a row of failures is ended by a success alone. */
  readonly leakMs: Ms | null;
}
export const ACCOUNT_RULE: Rule = { quick: 5, mostMs: 15 * 60_000, most: 100, leakMs: null };
/**
 * What is typed on a device that its user has signed in on before. It is forgotten: by then the
 * device is a stranger again.
 */
export const DEVICE_RULE: Rule = { ...ACCOUNT_RULE };
/** Many people sit behind one address: it is slowed down later, and less. */
export const ADDRESS_RULE: Rule = { quick: 30, mostMs: 60_000, most: null, leakMs: 30_000 };
/**
 * All that comes to a provider from devices that are not known: many addresses may try many names.
 */
export const PROVIDER_RULE: Rule = { quick: 300, mostMs: 4_000, most: null, leakMs: 4_000 };

/** The least number of failures that wait longest. */
const SLOWEST = ACCOUNT_RULE.quick + Math.ceil(Math.log2(ACCOUNT_RULE.mostMs / 1_000));
/**
 * Names are made up without end: of one that was tried less than `quick` times, half a year ago,
 * nothing is kept, whether or not it is somebody's. What was tried more is kept for ever.
 */
const KEEP_MS: Ms = DEVICE_MS;
const CLEANED_AT_ONCE = 500;

export interface Bucket {
  readonly failures: number;
  readonly until: Ms;
  readonly at: Ms;
}
/** A bucket's name and its rule. */
export interface Tried {
  readonly name: string;
  readonly rule: Rule;
}
/**
 * Why a try is not looked at. `closed`: nor will any later one be, until a success ends the row.
 */
export interface Refusal {
  readonly waitMs: Ms;
  readonly closed: boolean;
}

/** How long after the nth failure the next try has to wait. */
export const waitAfter = (failures: number, { quick, mostMs }: Rule): Ms =>
  failures < quick ? 0 : Math.min(mostMs, 1_000 * 2 ** Math.min(failures - quick, 30));

/**
 * A try counts as a failure until it turns out right, so that tries made at once cannot slip past
 * the count.
 */
export function tryNow(stored: Bucket, rule: Rule, now: Ms): Refusal | { readonly next: Bucket } {
  const { most, leakMs } = rule;
  const { failures, until, at } = boundedBucket(stored, rule, now);
  if (most !== null && failures >= most) return { waitMs: rule.mostMs, closed: true };
  if (now < until) return { waitMs: until - now, closed: false };
  const leaked = leakMs === null ? 0 : Math.min(failures, Math.floor((now - at) / leakMs));
  const count = failures - leaked + 1;
  // What is left of a leak goes on running.
  return {
    next: {
      failures: count,
      until: now + waitAfter(count, rule),
      at: leakMs === null || count === 1 ? now : at + leaked * leakMs,
    },
  };
}

/**
 * What was counted while the clock was ahead counts as of now, and nobody waits longer than the
 * rule has it.
 */
function boundedBucket({ failures, until, at }: Bucket, rule: Rule, now: Ms): Bucket {
  return {
    failures,
    until: isAhead(until, now, waitAfter(failures, rule)) ? until : 0,
    at: Math.min(at, now),
  };
}

/**
 * The account by its name, whether or not there is one; the address, of IPv6 the network that one
 * caller has; and the provider.
 */
export function strangersBuckets(usernameKey: string, ip: string): readonly [Tried, Tried, Tried] {
  const account = createHash('sha256').update(usernameKey).digest('hex').slice(0, 40);
  return [
    { name: `account:${account}`, rule: ACCOUNT_RULE },
    { name: `address:${callerNetwork(ip)}`, rule: ADDRESS_RULE },
    { name: 'provider', rule: PROVIDER_RULE },
  ];
}

/**
 * On a device that the user has signed in on before, only what is typed on it counts: nobody
 * elsewhere slows it or closes it.
 */
export const deviceBucket = (deviceId: string, userId: UserId): Tried => ({
  name: `device:${deviceId}:${userId}`,
  rule: DEVICE_RULE,
});

/**
 * Counts a try in every bucket, or in none and says why. Holds the buckets' rows until the
 * transaction ends. `last`: a bucket is closed now.
 */
export async function countTry(
  tx: TenantTx,
  tried: readonly Tried[],
  now: Ms,
): Promise<Refusal | { readonly last: boolean }> {
  const counted: { readonly one: Tried; readonly next: Bucket }[] = [];
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
  return { last: counted.some(({ one, next }) => next.failures === one.rule.most) };
}

/** A try that was counted and then not looked at. */
export async function giveBack(tx: TenantTx, tried: readonly Tried[], now: Ms): Promise<void> {
  for (const one of tried) await lessen(tx, one, now);
}

/**
 * A right password ends the row of failures where it was typed; address and provider get back only
 * its one try: others may still be guessing. Typed on a known device it also opens the account
 * again to others, as slow as before: its user's own work does not speed up who guesses.
 */
export async function forgive(
  tx: TenantTx,
  tried: readonly Tried[],
  account: Tried,
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

/** The bucket, made where it is missing, with its row held. */
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
 * One failure less. Who waits for an account or a device waits no more; an address and a provider
 * wait as their count says.
 */
async function lessen(tx: TenantTx, one: Tried, now: Ms): Promise<void> {
  const { failures, at } = boundedBucket(await held(tx, one.name, now), one.rule, now);
  const count = Math.max(0, failures - 1);
  await put(tx, one, {
    failures: count,
    until: now + (one.rule.leakMs === null ? 0 : waitAfter(count, one.rule)),
    at,
  });
}

async function put(
  { tenant, sql }: TenantTx,
  { name, rule }: Tried,
  bucket: Bucket,
): Promise<void> {
  await sql
    .updateTable('throttle')
    .set({ ...bucket, forget_at: forgetAt(bucket, rule) })
    .where('tenant_id', '=', tenant)
    .where('bucket', '=', name)
    .execute();
}

function forgetAt({ failures, at }: Bucket, rule: Rule): Ms | null {
  if (rule.leakMs !== null) return at + failures * rule.leakMs;
  return rule === ACCOUNT_RULE && failures >= rule.quick ? null : at + KEEP_MS;
}

/**
 * Ends what was counted of passwords against an account, on devices that it knows and those that it
 * does not. Answers how long the rows were.
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
