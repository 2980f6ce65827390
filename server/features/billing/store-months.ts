import { sql } from 'kysely';
import type { Ms } from '#contract/ids.ts';
import type { JobHandler } from '../../platform/jobs/job-types.ts';
import { loadCompanyLimit } from '../../platform/queries/query.ts';
import type { AppContext } from '../../platform/app-context.ts';
import { getMonthSpan, monthsAt } from './months.ts';

const EVERY: Ms = 3_600_000;

/**
 * LIC-2: every hour, stores the reported licenses for the current month. Reports from before the
 * month do not count.
 */
export const licenseMonths =
  (context: AppContext): JobHandler<'license-months'> =>
  async ({ tenant, now }) => {
    await context.store.tenant(tenant, async (tx) => {
      const wall = await loadCompanyLimit(tx);
      const [month = ''] = monthsAt(now, wall);
      const { from } = getMonthSpan(month, wall);
      await sql`insert into licence_month (tenant_id, month, connection_id, uid, company_n, name, row, seen_at)
    select tenant_id, ${month}::text, connection_id, uid, company_n, name, row, seen_at from collected where tenant_id = ${tenant} and entity = 'licences' and seen_at >= ${from}::bigint
    on conflict (tenant_id, month, connection_id, uid) do update set company_n = excluded.company_n, name = excluded.name, row = excluded.row, seen_at = excluded.seen_at where licence_month.seen_at < excluded.seen_at`.execute(
        tx.sql,
      );
    });
    return now + EVERY;
  };
