import type { KeyId, Ms } from '#contract/ids.ts';
import { lock } from './load-decision-state.ts';
import type { AppContext } from '../../platform/app-context.ts';
import type { AuthenticatedSource } from '../../platform/auth/ingest-key-auth.ts';
import { cleanLog } from './normalize.ts';
import { keepLogs } from './run-details.ts';
import { updateSourceHealth } from './source-health.ts';
import { addUsage, loadAllowance, fits, logBytes } from './quota.ts';
import type { TenantTx } from '../../platform/db/store.ts';

export const knowsJob = (
  context: AppContext,
  { tenant, key }: AuthenticatedSource,
  uid: string,
): Promise<boolean> =>
  context.store.tenant(tenant, async (tx) => (await loadJob(tx, key.id, uid)) !== null, {
    readOnly: true,
  });

/**
 * Appends text to the log of the named run, or of the running one. The text is dropped if there is
 * none. Does not change the state of the run.
 */
export async function addToLog(
  context: AppContext,
  { tenant, key }: AuthenticatedSource,
  uid: string,
  run: string | null,
  text: string,
  at: Ms,
): Promise<void> {
  const body = cleanLog(text);
  await context.store.tenant(tenant, async (tx) => {
    await lock(tx);
    await updateSourceHealth(tx, key.id, at, 1, []);
    const job = await loadJob(tx, key.id, uid);
    if (job === null || body === null) return;
    const named =
      run === null
        ? undefined
        : await tx.sql
            .selectFrom('run')
            .select('n')
            .where('tenant_id', '=', tenant)
            .where('key_id', '=', key.id)
            .where('uid', '=', run)
            .executeTakeFirst();
    const n =
      run === null
        ? ((await tx.rows('stat', [job])).get(job)?.running ?? null)
        : (named?.n ?? null);
    if (n === null) return;
    const before = await tx.sql
      .selectFrom('run_log')
      .select('body')
      .where('tenant_id', '=', tenant)
      .where('run_n', '=', n)
      .executeTakeFirst();
    const whole = before ? `${before.body}\n${body}` : body;
    const bytes = logBytes(whole);
    const allowance = await loadAllowance(tx, key, at, context.store.kind === 'pglite');
    const stored = fits(allowance, bytes, true);
    if (stored) await keepLogs(tx, [{ run: n, body: whole }]);
    addUsage(tx, allowance, stored ? bytes : 0, stored ? 0 : 1);
  });
}

async function loadJob(tx: TenantTx, key: KeyId, uid: string): Promise<number | null> {
  const row = await tx.sql
    .selectFrom('job')
    .select('n')
    .where('tenant_id', '=', tx.tenant)
    .where('key_id', '=', key)
    .where('uid', '=', uid)
    .executeTakeFirst();
  return row?.n ?? null;
}
