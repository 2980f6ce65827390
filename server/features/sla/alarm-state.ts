import type { Ms } from '#contract/ids.ts';
import type { SlaRow } from '#contract/sla/sla.ts';
import { scheduleRecurring } from '#server/platform/jobs/schedule.ts';
import type { TenantTx } from '#server/platform/db/store.ts';

/** An alarm and its notification state. */
export interface StoredAlarm {
  readonly alarm: SlaRow;
  readonly brokenSince: Ms | null;
  readonly firedAt: Ms | null;
}

export async function loadAlarms(tx: TenantTx): Promise<readonly StoredAlarm[]> {
  const rows = await tx.sql
    .selectFrom('sla_alarm')
    .select(['row', 'broken_since', 'fired_at'])
    .where('tenant_id', '=', tx.tenant)
    .orderBy('id')
    .execute();
  return rows.map(({ row, broken_since: brokenSince, fired_at: firedAt }) => ({
    alarm: row,
    brokenSince,
    firedAt,
  }));
}

/** Stores an alarm. A changed alarm is evaluated from scratch. */
export async function keepAlarm(tx: TenantTx, alarm: SlaRow): Promise<void> {
  const row = JSON.stringify(alarm);
  const values = { tenant_id: tx.tenant, id: alarm.id, row, broken_since: null, fired_at: null };
  await tx.sql
    .insertInto('sla_alarm')
    .values(values)
    .onConflict((on) => on.columns(['tenant_id', 'id']).doUpdateSet({ row, broken_since: null }))
    .execute();
  await scheduleRecurring(tx, 'sla-alarms', alarm.changedAt);
}
