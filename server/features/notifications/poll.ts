import type { Ms, TenantId } from '#contract/ids.ts';
import { loadPortalAddress } from '#server/platform/tenancy/portal-address.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import type { NotificationFact } from './fact.ts';
import { findNewFacts } from './new-facts.ts';
import { fanOut } from './fan-out.ts';
import { findOpenFacts } from './open-facts.ts';

/** Events read in one transaction. */
const BATCH_SIZE = 5_000;
/** The interval between checks of ongoing conditions. */
export const OPEN_FACTS_MS: Ms = 5 * 60_000;

/**
 * NOTIFY-1: finds new facts and queues them. The first poll of a provider sends nothing, because
 * what it finds is not new. It runs in one transaction, so no other server and no restart sends a
 * fact twice.
 */
export async function pollFacts(context: AppContext, tenant: TenantId, now: Ms): Promise<void> {
  for (;;) {
    const more = await context.store.tenant(
      tenant,
      async (tx) => {
        const seen = await loadSeen(tx);
        const head = (await tx.head()).seq;
        return (
          seen === undefined ||
          seen.log_seq < head ||
          now - seen.stood_at >= OPEN_FACTS_MS ||
          now < seen.stood_at
        );
      },
      { readOnly: true },
    );
    if (!more || !(await context.store.tenant(tenant, (tx) => lookOnce(tx, context, now)))) return;
  }
}

const loadSeen = ({ sql, tenant }: TenantTx) =>
  sql
    .selectFrom('notify_seen')
    .select(['log_seq', 'stood_at'])
    .where('tenant_id', '=', tenant)
    .executeTakeFirst();

/**
 * Starts polling at the current end of the log, so that what happens before the first poll is also
 * reported.
 */
export async function startPolling(tx: TenantTx): Promise<void> {
  await tx.sql
    .insertInto('notify_seen')
    .values({ tenant_id: tx.tenant, log_seq: (await tx.head()).seq, stood_at: 0 })
    .onConflict((on) => on.column('tenant_id').doNothing())
    .execute();
}

/** Polls one batch of events. Returns whether there are more. */
async function lookOnce(tx: TenantTx, context: AppContext, now: Ms): Promise<boolean> {
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
  // A restored log can be shorter than the part that was read.
  const from = Math.min(seen.log_seq, head);
  const to = Math.min(head, from + BATCH_SIZE);
  const isActive = first || now - seen.stood_at >= OPEN_FACTS_MS || now < seen.stood_at;
  const fresh: NotificationFact[] = to > from ? [...(await findNewFacts(tx, from, to, now))] : [];
  if (isActive) {
    const begun = await standNow(tx, await findOpenFacts(tx, now), now);
    if (!first) fresh.push(...begun);
  }
  await sql
    .updateTable('notify_seen')
    .set({ log_seq: to, ...(isActive && { stood_at: now }) })
    .where('tenant_id', '=', tenant)
    .execute();
  await fanOut(
    tx,
    context,
    fresh,
    fresh.length === 0 ? null : await loadPortalAddress(tx, context),
    now,
  );
  return to < head;
}

/** Stores the ongoing conditions, deletes those that have ended, and returns the new ones. */
async function standNow(
  { sql, tenant }: TenantTx,
  facts: readonly NotificationFact[],
  now: Ms,
): Promise<readonly NotificationFact[]> {
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
