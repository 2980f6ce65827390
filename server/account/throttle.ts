import { createHash } from 'node:crypto';
import type { Ms } from '#contract/ids.ts';
import type { TenantTx } from '../store/store.ts';

/** `quick` failures cost nothing; each one after them doubles the wait from a second up to `mostMs`. Forgotten after `forgetMs` of quiet. */
export interface Rule { readonly quick: number; readonly mostMs: Ms; readonly forgetMs: Ms }
export const ACCOUNT_RULE: Rule = { quick: 5, mostMs: 15 * 60_000, forgetMs: 24 * 3_600_000 };
/** Many people sit behind one address: it is slowed down later, and less. */
export const ADDRESS_RULE: Rule = { quick: 30, mostMs: 60_000, forgetMs: 15 * 60_000 };

export interface Bucket { readonly failures: number; readonly until: Ms; readonly at: Ms }

/** How long after the nth failure the next try has to wait. */
export const waitAfter = (failures: number, { quick, mostMs }: Rule): Ms => (failures < quick ? 0 : Math.min(mostMs, 1_000 * 2 ** Math.min(failures - quick, 30)));

/** A try counts as a failure until it turns out right, so that tries made at once cannot slip past the count. */
export function tryNow(bucket: Bucket, rule: Rule, now: Ms): { readonly waitMs: Ms } | { readonly next: Bucket } {
  if (now < bucket.until) return { waitMs: bucket.until - now };
  const failures = (now - bucket.at > rule.forgetMs ? 0 : bucket.failures) + 1;
  return { next: { failures, until: now + waitAfter(failures, rule), at: now } };
}

export interface Tried { readonly name: string; readonly rule: Rule }

/** The account by its name, whether or not there is one, and the address; of IPv6 the network that one caller has. */
export function bucketsOf(usernameKey: string, ip: string): readonly Tried[] {
  const account = createHash('sha256').update(usernameKey).digest('hex').slice(0, 40);
  const address = ip.includes(':') ? ip.split(':').slice(0, 4).join(':') : ip;
  return [{ name: `account:${account}`, rule: ACCOUNT_RULE }, { name: `address:${address}`, rule: ADDRESS_RULE }];
}

/** Counts a try in every bucket, or in none: then answers the wait in ms. Holds the buckets' rows until the transaction ends. */
export async function countTry({ tenant, sql }: TenantTx, tried: readonly Tried[], now: Ms): Promise<Ms | null> {
  const outcomes: { name: string; next: Bucket }[] = [];
  let waitMs = 0;
  for (const { name, rule } of tried) {
    await sql.insertInto('throttle').values({ tenant_id: tenant, bucket: name, failures: 0, until: 0, at: now })
      .onConflict((on) => on.columns(['tenant_id', 'bucket']).doNothing()).execute();
    const row = await sql.selectFrom('throttle').select(['failures', 'until', 'at']).where('tenant_id', '=', tenant).where('bucket', '=', name).forUpdate().executeTakeFirstOrThrow();
    const outcome = tryNow(row, rule, now);
    if ('waitMs' in outcome) waitMs = Math.max(waitMs, outcome.waitMs);
    else outcomes.push({ name, next: outcome.next });
  }
  if (waitMs > 0) return waitMs;
  for (const { name, next } of outcomes) await sql.updateTable('throttle').set(next).where('tenant_id', '=', tenant).where('bucket', '=', name).execute();
  return null;
}

/** A right password clears its account. The address gets back only its one try: others behind it may still be guessing. */
export async function forgiveTry({ tenant, sql }: TenantTx, [account, address]: readonly Tried[], now: Ms): Promise<void> {
  if (account) await sql.deleteFrom('throttle').where('tenant_id', '=', tenant).where('bucket', '=', account.name).execute();
  if (address) {
    const row = await sql.selectFrom('throttle').select('failures').where('tenant_id', '=', tenant).where('bucket', '=', address.name).forUpdate().executeTakeFirst();
    const failures = Math.max(0, (row?.failures ?? 0) - 1);
    await sql.updateTable('throttle').set({ failures, until: now + waitAfter(failures, address.rule) }).where('tenant_id', '=', tenant).where('bucket', '=', address.name).execute();
  }
  await sql.deleteFrom('throttle').where('tenant_id', '=', tenant).where('at', '<', now - ACCOUNT_RULE.forgetMs).execute();
}
