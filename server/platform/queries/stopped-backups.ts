import { stopsBackups } from '#contract/billing/subscriptions.ts';
import type { CompanyN } from '#contract/ids.ts';
import type { TenantTx } from '../db/store.ts';

/**
 * Returns the companies whose backups are stopped: deleted ones, and those whose subscription doesn't
 * run (BILL-13). A company that never had a subscription is not among them.
 */
export async function loadStoppedCompanies(tx: TenantTx): Promise<ReadonlySet<CompanyN>> {
  const deleted = (await tx.all('company')).filter(({ deletedAt }) => deletedAt !== undefined);
  const subscriptions = await tx.all('subscription');
  const running = new Set(
    subscriptions.filter((row) => !stopsBackups(row)).map(({ company }) => company),
  );
  return new Set([
    ...deleted.map(({ n }) => n),
    ...subscriptions.map(({ company }) => company).filter((company) => !running.has(company)),
  ]);
}
