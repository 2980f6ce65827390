import type { Ms } from '#contract/ids.ts';
import { LIMITS } from '#contract/limits.ts';
import { columnOver, LONGEST_PERIOD_MS } from '../../platform/clock-bounds.ts';
import { deleteExpiredBlobs } from '#server/platform/db/blob-store.ts';
import { loadGateways } from '#server/platform/mail/gateways.ts';
import { outgoingStates } from '#server/platform/mail/outgoing-states.ts';
import type { LeaseHandler } from '#server/platform/jobs/job-types.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { dueAfter } from './schedule.ts';
import { queueReport } from './sent.ts';
import type { SentRow } from './sent.ts';
import { sendNext } from './send-report.ts';

/** The pause before a report that is being made or sent is checked again. */
const PAUSE: Ms = 2_000;

/**
 * REPORT-3: finds due reports, makes them one after another, and records the state of their emails.
 * After a downtime a report is sent once, for the last missed time. Two servers on one database
 * send it once.
 */
export const reports =
  (context: AppContext): LeaseHandler<'reports'> =>
  async ({ tenant, now, lease, signal }) => {
    await context.store.tenant(tenant, (tx) => findDue(tx, context, now));
    while (await sendNext(context, tenant, lease)) if (signal.aborted) return now;
    await context.store.tenant(tenant, (tx) => followMails(tx, context));
    return context.store.tenant(tenant, (tx) => nextReport(tx, now), { readOnly: true });
  };

/** Returns when the next report is due; null if none is. */
async function nextReport({ sql, tenant }: TenantTx, now: Ms): Promise<Ms | null> {
  const open = await sql
    .selectFrom('report_sent')
    .select('id')
    .where('tenant_id', '=', tenant)
    .where('state', 'in', ['waiting', 'making', 'sending'])
    .limit(1)
    .executeTakeFirst();
  if (open) return now + PAUSE;
  const { at } = await sql
    .selectFrom('report_setting')
    .select((e) => e.fn.min('next_at').as('at'))
    .where('tenant_id', '=', tenant)
    .executeTakeFirstOrThrow();
  return at;
}

async function findDue(tx: TenantTx, context: AppContext, now: Ms): Promise<void> {
  const { sql, tenant } = tx;
  const due = await sql
    .selectFrom('report_setting')
    .selectAll()
    .where('tenant_id', '=', tenant)
    .where(columnOver('next_at', now, LONGEST_PERIOD_MS))
    .forUpdate()
    .skipLocked()
    .execute();
  for (const { id, owner_id, fields, next_at } of due) {
    if (next_at === null) continue;
    await queueReport(tx, context, {
      setting: id,
      owner: owner_id,
      by: null,
      fields,
      dueAt: lastDue(fields.schedule, next_at, now),
    });
    await sql
      .updateTable('report_setting')
      .set({ next_at: dueAfter(fields.schedule, now) })
      .where('tenant_id', '=', tenant)
      .where('id', '=', id)
      .execute();
  }
}

/** Returns the last time up to now at which it was due, starting from a known one. */
export function lastDue(schedule: Parameters<typeof dueAfter>[0], known: Ms, now: Ms): Ms {
  let at = known;
  for (
    let next = dueAfter(schedule, at);
    next !== null && next <= now;
    next = dueAfter(schedule, at)
  )
    at = next;
  return at;
}

/** Updates the state of emails that are being sent. */
async function followMails(tx: TenantTx, context: AppContext): Promise<void> {
  const { sql, tenant } = tx;
  const open = await sql
    .selectFrom('report_sent')
    .select(['id', 'mails'])
    .where('tenant_id', '=', tenant)
    .where('state', '=', 'sending')
    .execute();
  if (open.length === 0) return;
  const gateway = (await loadGateways(tx, context)).mail !== null;
  for (const { id, mails } of open) {
    const rows = await outgoingStates(
      tx,
      mails.map((mail) => mail.id),
    );
    const now = mails.map((mail): SentRow['mails'][number] => {
      const row = rows.get(mail.id);
      if (mail.state !== 'sending') return mail;
      if (row?.sent_at != null) return { ...mail, state: 'sent', at: row.sent_at };
      if (row && row.next_at !== null) return mail;
      return row && row.fault === null && !gateway
        ? { ...mail, state: 'kept' }
        : { ...mail, state: 'failed', fault: row?.fault ?? null };
    });
    const states = new Set(now.map((one) => one.state));
    const state: SentRow['state'] = states.has('sending')
      ? 'sending'
      : states.size > 1
        ? 'partly'
        : states.has('sent')
          ? 'sent'
          : states.has('kept')
            ? 'kept'
            : 'failed';
    if (state !== 'sending' || JSON.stringify(now) !== JSON.stringify(mails))
      await sql
        .updateTable('report_sent')
        .set({ state, mails: JSON.stringify(now) })
        .where('tenant_id', '=', tenant)
        .where('id', '=', id)
        .execute();
  }
}

/** Deletes expired files, and entries of the history after a year. */
export async function deleteExpiredReports(tx: TenantTx, now: Ms): Promise<void> {
  await deleteExpiredBlobs(tx, now);
  await tx.sql
    .deleteFrom('report_sent')
    .where('tenant_id', '=', tx.tenant)
    .where('made_at', '<', now - LIMITS.reportHistoryMs)
    .execute();
}
