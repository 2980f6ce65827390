import type { BackupHealth, SubscriptionFigures } from '#contract/providers/admin-calls.ts';
import type { TenantTx } from '../../platform/db/store.ts';

/** Returns what the engine of Microsoft 365 backup works on, and what of its data is damaged. */
export async function loadBackupHealth({ tenant, sql }: TenantTx): Promise<BackupHealth> {
  const work = await sql
    .selectFrom('backup_work')
    .innerJoin('backup_session', (join) =>
      join
        .onRef('backup_session.tenant_id', '=', 'backup_work.tenant_id')
        .onRef('backup_session.id', '=', 'backup_work.session_id'),
    )
    .select(['backup_work.state', (e) => e.fn.countAll<number>().as('count')])
    .where('backup_work.tenant_id', '=', tenant)
    .where('backup_session.ended_at', 'is', null)
    .groupBy('backup_work.state')
    .execute();
  const getCount = (wanted: string): number =>
    work.find(({ state }) => state === wanted)?.count ?? 0;
  const repositories = await sql
    .selectFrom('repository_access')
    .select('upkeep')
    .where('tenant_id', '=', tenant)
    .execute();
  return {
    queued: getCount('queued'),
    running: getCount('running'),
    waiting: getCount('waiting'),
    damaged: repositories.reduce((sum, { upkeep }) => sum + (upkeep.damaged?.length ?? 0), 0),
  };
}

export async function loadSubscriptionFigures(tx: TenantTx): Promise<SubscriptionFigures> {
  const rows = await tx.all('subscription');
  const countStatus = (wanted: (typeof rows)[number]['status']): number =>
    rows.filter(({ status }) => status === wanted).length;
  return {
    active: countStatus('active') + countStatus('cancelled'),
    pending: countStatus('pending'),
    unpaid: countStatus('payment_failed'),
    stopped: countStatus('disabled'),
  };
}
