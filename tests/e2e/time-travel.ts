/**
 * Makes sessions of users, links, backup sessions and restore points older by some minutes. Run it while
 * the server is stopped: `node time-travel.ts <data folder> <minutes>`, with its DATABASE_URL.
 */
import { systemClock } from '../../server/platform/clock.ts';
import { makeLog } from '../../server/platform/log.ts';
import { openStore } from '../../server/platform/db/open.ts';

const [dataDir = '', minutes = '0'] = process.argv.slice(2);
const ms = Number(minutes) * 60_000;
const databaseUrl =
  process.env['DATABASE_URL'] === '' ? null : (process.env['DATABASE_URL'] ?? null);
const store = await openStore({
  dataDir,
  databaseUrl,
  log: { ...makeLog(systemClock), info: () => undefined },
  clock: systemClock,
});
for (const tenant of await store.tenants()) {
  await store.tenant(tenant, async ({ sql }) => {
    await sql
      .updateTable('session')
      .set((of) => ({
        access_until: of('access_until', '-', ms),
        idle_until: of('idle_until', '-', ms),
        absolute_until: of('absolute_until', '-', ms),
        authenticated_at: of('authenticated_at', '-', ms),
      }))
      .where('tenant_id', '=', tenant)
      .execute();
    await sql
      .updateTable('one_time')
      .set((of) => ({ until: of('until', '-', ms), made_at: of('made_at', '-', ms) }))
      .where('tenant_id', '=', tenant)
      .execute();
    for (const table of ['restore_point', 'object_point'] as const)
      await sql
        .updateTable(table)
        .set((of) => ({ at: of('at', '-', ms) }))
        .where('tenant_id', '=', tenant)
        .execute();
    await sql
      .updateTable('backup_session')
      .set((of) => ({
        started_at: of('started_at', '-', ms),
        ended_at: of('ended_at', '-', ms),
      }))
      .where('tenant_id', '=', tenant)
      .execute();
  });
}
await store.close();
