import type { Ms, OrganizationId } from '#contract/ids.ts';
import type { OrganizationRow } from '#contract/backup/organizations.ts';
import { type DayN, getDay } from '#contract/time/day.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import type { JobHandler } from '#server/platform/jobs/job-types.ts';
import {
  countLicensedUsers,
  getLicenseWindow,
  getToday,
  type OrganizationDay,
} from '#server/platform/queries/licensed-users.ts';
import { loadCompanyLimit } from '#server/platform/queries/query.ts';
import type { ReportRange } from './report-range.ts';

const EVERY_MS: Ms = 3_600_000;
/** Days that a stopped server missed are counted later, from the restore points. */
const MAX_MISSED_DAYS = 62;

type Dated = Pick<OrganizationRow, 'id' | 'createdAt'>;

/** BILL-12: every hour, stores the licensed users of each organization on the days that ended. */
export const usageDays =
  (context: AppContext): JobHandler<'usage-days'> =>
  async ({ tenant, now }) => {
    await context.store.tenant(tenant, async (tx) => {
      const { timeZone } = await loadCompanyLimit(tx);
      const yesterday = getToday(now, timeZone) - 1;
      const organizations = (await tx.all('organization')).filter((row) => row.removedAt === null);
      const range = { first: yesterday - MAX_MISSED_DAYS + 1, last: yesterday };
      const missing = await countMissing(tx, organizations, range, { timeZone, now });
      if (missing.length === 0) return;
      await tx.sql
        .insertInto('usage_day')
        .values(
          missing.map(({ organizationId, ...row }) => ({
            tenant_id: tenant,
            organization_id: organizationId,
            ...row,
          })),
        )
        .onConflict((conflict) => conflict.doNothing())
        .execute();
    });
    return now + EVERY_MS;
  };

/**
 * Returns the licensed users of each organization on each day of a range since its creation: what
 * was stored, and what isn't stored yet from the restore points.
 */
export async function loadUsageDays(
  tx: TenantTx,
  organizations: readonly Dated[],
  range: ReportRange,
  at: { readonly timeZone: string; readonly now: Ms },
): Promise<readonly OrganizationDay[]> {
  if (organizations.length === 0) return [];
  return [
    ...(await loadStoredUsageDays(tx, organizations, range)),
    ...(await countMissing(tx, organizations, range, at)),
  ];
}

/** Returns only what was stored of days that ended. */
export async function loadStoredUsageDays(
  { sql: db, tenant }: TenantTx,
  organizations: readonly Dated[],
  { first, last }: ReportRange,
): Promise<readonly OrganizationDay[]> {
  return organizations.length === 0
    ? []
    : db
        .selectFrom('usage_day')
        .select(['organization_id as organizationId', 'day', 'used', 'free', 'bytes'])
        .where('tenant_id', '=', tenant)
        .where(
          'organization_id',
          'in',
          organizations.map(({ id }) => id),
        )
        .where('day', '>=', first)
        .where('day', '<=', last)
        .execute();
}

async function countMissing(
  tx: TenantTx,
  organizations: readonly Dated[],
  range: ReportRange,
  { timeZone, now }: { readonly timeZone: string; readonly now: Ms },
): Promise<readonly OrganizationDay[]> {
  const stored = new Set((await loadStoredUsageDays(tx, organizations, range)).map(toKey));
  const missing = new Map<DayN, OrganizationId[]>();
  for (const { id, createdAt } of organizations)
    for (
      let day = Math.max(range.first, getDay(createdAt, timeZone, 0));
      day <= range.last;
      day += 1
    )
      if (!stored.has(toKey({ organizationId: id, day })))
        missing.set(day, [...(missing.get(day) ?? []), id]);
  const days = [...missing.keys()];
  const counted = new Map(
    (
      await countLicensedUsers(
        tx,
        [...new Set([...missing.values()].flat())],
        days.map((day) => getLicenseWindow(day, timeZone, now)),
      )
    ).map((row) => [toKey(row), row]),
  );
  return days.flatMap((day) =>
    (missing.get(day) ?? []).map(
      (organizationId) =>
        counted.get(toKey({ organizationId, day })) ?? {
          organizationId,
          day,
          used: 0,
          free: 0,
          bytes: 0,
        },
    ),
  );
}

const toKey = ({ organizationId, day }: Pick<OrganizationDay, 'organizationId' | 'day'>): string =>
  `${organizationId} ${day}`;
