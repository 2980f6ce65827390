import type { Ms, TenantId } from '#contract/ids.ts';
import { portalAddressOf } from '#server/platform/tenancy/portal-address.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import type { Fact } from './fact.ts';
import { findNewFacts } from './new-facts.ts';
import { fanOut } from './fan-out.ts';
import { findOpenFacts } from './open-facts.ts';

/** Events that are looked through in one transaction. */
const AT_ONCE = 5_000;
/** What stands is looked at so often. */
const STANDS_MS: Ms = 5 * 60_000;

/**
 * NOTIFY-1: finds what is new and puts it on its way. The first look of a provider tells nothing:
 * what is there then was there before. One transaction: what was told is not told again, by no
 * other server and after no restart.
 */
export async function pollFacts(world: AppContext, tenant: TenantId, now: Ms): Promise<void> {
  for (;;) {
    const more = await world.store.tenant(
      tenant,
      async (tx) => {
        const seen = await seenOf(tx);
        const head = (await tx.head()).seq;
        return (
          seen === undefined ||
          seen.log_seq < head ||
          now - seen.stood_at >= STANDS_MS ||
          now < seen.stood_at
        );
      },
      { readOnly: true },
    );
    if (!more || !(await world.store.tenant(tenant, (tx) => lookOnce(tx, world, now)))) return;
  }
}

const seenOf = ({ sql, tenant }: TenantTx) =>
  sql
    .selectFrom('notify_seen')
    .select(['log_seq', 'stood_at'])
    .where('tenant_id', '=', tenant)
    .executeTakeFirst();

/** From here on what happens is told: also before the first look, for who has just asked for it. */
export async function startPolling(tx: TenantTx): Promise<void> {
  await tx.sql
    .insertInto('notify_seen')
    .values({ tenant_id: tx.tenant, log_seq: (await tx.head()).seq, stood_at: 0 })
    .onConflict((on) => on.column('tenant_id').doNothing())
    .execute();
}

/** Whether there is more to look through. */
async function lookOnce(tx: TenantTx, world: AppContext, now: Ms): Promise<boolean> {
  const { sql, tenant } = tx;
  await startPolling(tx);
  const seen = await sql
    .selectFrom('notify_seen')
    .select(['log_seq', 'stood_at'])
    .where('tenant_id', '=', tenant)
    .forUpdate()
    .executeTakeFirstOrThrow();
  const head = (await tx.head()).seq;
  const first = seen.stood_at === 0;
  // A log that was restored is shorter than what was seen of it.
  const from = Math.min(seen.log_seq, head);
  const to = Math.min(head, from + AT_ONCE);
  const standing = first || now - seen.stood_at >= STANDS_MS || now < seen.stood_at;
  const fresh: Fact[] = to > from ? [...(await findNewFacts(tx, from, to, now))] : [];
  if (standing) {
    const begun = await standNow(tx, await findOpenFacts(tx, now), now);
    if (!first) fresh.push(...begun);
  }
  await sql
    .updateTable('notify_seen')
    .set({ log_seq: to, ...(standing && { stood_at: now }) })
    .where('tenant_id', '=', tenant)
    .execute();
  await fanOut(tx, world, fresh, fresh.length === 0 ? null : await portalAddressOf(tx, world), now);
  return to < head;
}

/** Keeps what stands, forgets what does not any more, and answers what has begun to. */
async function standNow(
  { sql, tenant }: TenantTx,
  facts: readonly Fact[],
  now: Ms,
): Promise<readonly Fact[]> {
  const before = new Set(
    (
      await sql
        .selectFrom('notify_standing')
        .select('subject')
        .where('tenant_id', '=', tenant)
        .execute()
    ).map(({ subject }) => subject),
  );
  const subjects = new Set(facts.map(({ subject }) => subject));
  const gone = [...before].filter((one) => !subjects.has(one));
  const begun = facts.filter(({ subject }) => !before.has(subject));
  if (gone.length > 0)
    await sql
      .deleteFrom('notify_standing')
      .where('tenant_id', '=', tenant)
      .where('subject', 'in', gone)
      .execute();
  if (begun.length > 0)
    await sql
      .insertInto('notify_standing')
      .values(
        begun.map(({ category, subject }) => ({
          tenant_id: tenant,
          category,
          subject,
          since: now,
        })),
      )
      .onConflict((on) => on.doNothing())
      .execute();
  return begun;
}
