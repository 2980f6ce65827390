import type { Selectable } from 'kysely';
import { getLastError } from '#contract/last-error.ts';
import type { Ms, UserId } from '#contract/ids.ts';
import type { SentOut } from '#contract/reports/calls.ts';
import type { ReportFields } from '#contract/reports/setting.ts';
import type { ReportSentTable } from '#server/platform/db/database-reports.ts';
import { scheduleRecurring } from '#server/platform/jobs/schedule.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { actorMessages } from '#server/platform/tenancy/messages.en.ts';

export type SentRow = Selectable<ReportSentTable>;

export interface Due {
  readonly setting: string;
  readonly owner: UserId;
  readonly by: UserId | null;
  readonly fields: ReportFields;
  readonly dueAt: Ms | null;
}

/**
 * Queues a report in the caller's transaction. A scheduled time is queued only once. Returns its
 * id; null if it was already queued.
 */
export async function queueReport(
  tx: TenantTx,
  context: AppContext,
  { setting, owner, by, fields, dueAt }: Due,
): Promise<string | null> {
  const id = context.chance.uuid();
  const { sql, tenant } = tx;
  const row = await sql
    .insertInto('report_sent')
    .values({
      tenant_id: tenant,
      id,
      setting_id: setting,
      owner_id: owner,
      by_id: by,
      fields: JSON.stringify(fields),
      state: 'waiting',
      made_at: context.clock.now(),
      due_at: dueAt,
      done_at: null,
      held_until: null,
      sees: 'null',
      told: JSON.stringify({ from: null, to: null, rows: null, fault: null }),
      mails: '[]',
      file_id: null,
      data_id: null,
    })
    .onConflict((on) => on.doNothing())
    .returning('id')
    .executeTakeFirst();
  if (!row) return null;
  await scheduleRecurring(tx, 'reports', context.clock.now());
  return row.id;
}

/** Returns a row of the history. */
export const sentOut = (
  row: SentRow,
  names: ReadonlyMap<UserId, string>,
  file: { readonly name: string; readonly bytes: number; readonly until: Ms } | undefined,
): SentOut => ({
  _id: row.id,
  setting: row.setting_id,
  name: row.fields.name,
  template: row.fields.template,
  format: row.fields.format,
  how: row.due_at === null ? 'hand' : 'schedule',
  by: row.by_id === null ? null : (names.get(row.by_id) ?? actorMessages.formerUser),
  state: row.state,
  madeAt: row.made_at,
  dueAt: row.due_at,
  doneAt: row.done_at,
  from: row.told.from,
  to: row.told.to,
  rows: row.told.rows,
  ...getLastError(row.told.fault),
  bytes: file?.bytes ?? null,
  fileName: file?.name ?? null,
  storedUntil: file?.until ?? null,
  kept: file?.until ?? null,
  mails: row.mails.map(({ to, state, at, fault: error }) => ({
    to,
    state,
    at,
    ...getLastError(error),
  })),
});
