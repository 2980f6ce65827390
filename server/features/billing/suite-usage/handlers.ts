import { isBackedUpHere, type OrganizationRow } from '#contract/backup/organizations.ts';
import type { LicensedUser, OrganizationLicenses } from '#contract/billing/suite-usage-calls.ts';
import type { OutputOf, ParsedInputOf } from '#contract/calls.ts';
import type { Ms } from '#contract/ids.ts';
import { PAGE_SIZE } from '#contract/paging.ts';
import { ok, type Result } from '#contract/result.ts';
import { utcText, wallText } from '#contract/runs/csv.ts';
import { dayText } from '#contract/time/day.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import { csvAnswer } from '#server/platform/http/csv-response.ts';
import { refuse } from '#server/platform/http/envelope.ts';
import type { Handlers, SessionContext } from '#server/platform/http/handler.ts';
import { isCompanyInScope, toScope } from '#server/platform/sync/scope.ts';
import { countAddedUsers, listLicensedUsers } from './licensed-users.ts';
import { suiteUsageMessages as t } from './messages.en.ts';
import { getReportRange, type ReportRange } from './report-range.ts';
import { loadUsageDays } from './usage-days.ts';

type Names =
  | 'listSuiteLicensing'
  | 'exportSuiteLicensing'
  | 'listSuiteConsumption'
  | 'exportSuiteConsumption';
type Filters = ParsedInputOf<'listSuiteLicensing'>;
type UserFilters = ParsedInputOf<'exportSuiteConsumption'>;

const MAX_LINES = 50_000;

/** What a report is about: organizations that the caller sees, and days. */
interface Report {
  readonly serviceProvider: { readonly id: string; readonly name: string };
  readonly organizations: readonly OrganizationRow[];
  readonly companies: ReadonlyMap<number, string>;
  readonly range: ReportRange;
  readonly timeZone: string;
  readonly now: Ms;
}

/** BILL-12: the licensed users of Microsoft 365 organizations, and who they are. */
export function suiteUsageHandlers(context: AppContext): Pick<Handlers, Names> {
  const read = <T>(
    ctx: SessionContext,
    filters: Filters,
    work: (tx: TenantTx, report: Report) => Promise<T>,
  ): Promise<Result<T>> =>
    context.store.tenant(
      ctx.tenant,
      async (tx) => {
        const report = await loadReport(tx, ctx, filters);
        return report.ok ? ok(await work(tx, report.value)) : report;
      },
      { readOnly: true },
    );

  return {
    listSuiteLicensing: (filters, ctx) => read(ctx, filters, readLicensing),

    exportSuiteLicensing: async (filters, ctx) => {
      const result = await read(ctx, filters, async (tx, report) =>
        csvAnswer('O365Licensing-', ctx.now, report.timeZone, [
          [
            t.company,
            t.organization,
            t.from,
            t.to,
            t.licensedUsers,
            t.peak,
            t.added,
            t.withoutLicense,
            t.bytes,
          ],
          ...(await readLicensing(tx, report)).rows.map((row) => [
            row.companyName,
            row.organizationName,
            dayText(report.range.first),
            dayText(report.range.last),
            row.used,
            row.peak,
            row.added,
            row.free,
            row.bytes,
          ]),
        ]),
      );
      return result.ok ? result.value : refuse(result.failure);
    },

    listSuiteConsumption: ({ page = 1, pageSize = PAGE_SIZE, ...filters }, ctx) =>
      read(ctx, getFilters(filters), async (tx, report) => {
        const { rows, count } = await readUsers(tx, report, filters, {
          offset: (page - 1) * pageSize,
          limit: pageSize,
        });
        return { ...getHead(report), rows, count, page, pageSize };
      }),

    exportSuiteConsumption: async (filters, ctx) => {
      const result = await read(ctx, getFilters(filters), async (tx, report) => {
        const { timeZone: zone } = report;
        const { rows } = await readUsers(tx, report, filters, { offset: 0, limit: MAX_LINES });
        return csvAnswer('O365Consumption-', ctx.now, zone, [
          [
            t.company,
            t.organization,
            t.user,
            t.address,
            t.backedUp,
            t.license,
            t.hasLeft,
            t.firstPoint({ zone }),
            t.lastPoint({ zone }),
            t.lastPointUtc,
            t.bytes,
          ],
          ...rows.map((row) => [
            row.companyName,
            row.organizationName,
            row.name,
            row.address,
            row.kinds.map((kind) => t[kind]).join(', '),
            t[row.state],
            row.hasLeft ? t.yes : t.no,
            wallText(row.firstPointAt, zone),
            wallText(row.lastPointAt, zone),
            utcText(row.lastPointAt),
            row.bytes,
          ]),
        ]);
      });
      return result.ok ? result.value : refuse(result.failure);
    },
  };
}

const getFilters = ({ from, to, companyId, organizationId }: UserFilters): Filters => ({
  from,
  to,
  companyId,
  organizationId,
});

async function loadReport(
  tx: TenantTx,
  { tenant, session, now }: SessionContext,
  { from, to, companyId, organizationId }: Filters,
): Promise<Result<Report>> {
  const { branding } = await tx.sql
    .selectFrom('provider')
    .select('branding')
    .where('tenant_id', '=', tenant)
    .executeTakeFirstOrThrow();
  const { name, timeZone } = branding;
  const range = getReportRange({ from, to }, timeZone, now);
  if (!range.ok) return range;
  const companies = (await tx.all('company')).filter(
    (row) => companyId === undefined || row.n === companyId || row.id === companyId,
  );
  const names = new Map(companies.map((row) => [row.n, row.name]));
  const scope = toScope(session);
  const organizations = (await tx.all('organization'))
    .filter(
      (row) =>
        row.removedAt === null &&
        names.has(row.company) &&
        isCompanyInScope(scope, row.company) &&
        (organizationId === undefined || row.id === organizationId),
    )
    .sort((a, b) => collator.compare(a.name, b.name) || collator.compare(a.id, b.id));
  return ok({
    serviceProvider: { id: tenant, name },
    organizations,
    companies: names,
    range: range.value,
    timeZone,
    now,
  });
}
const collator = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });

const getHead = ({ serviceProvider, range }: Report) => ({
  serviceProvider,
  from: dayText(range.first),
  to: dayText(range.last),
});

const getOwner = ({ companies }: Report, { id, name, company }: OrganizationRow) => ({
  organizationId: id,
  organizationName: name,
  companyId: company,
  companyName: companies.get(company) ?? '',
});

async function readLicensing(
  tx: TenantTx,
  report: Report,
): Promise<OutputOf<'listSuiteLicensing'>> {
  const { organizations, range, timeZone } = report;
  const days = await loadUsageDays(tx, organizations, range, report);
  const added = await countAddedUsers(
    tx,
    organizations.map(({ id }) => id),
    range,
    timeZone,
  );
  const byOrganization = Map.groupBy(days, ({ organizationId }) => organizationId);
  const totals = new Map<number, number>();
  for (const { day, used } of days) totals.set(day, (totals.get(day) ?? 0) + used);
  return {
    ...getHead(report),
    rows: organizations.map((row): OrganizationLicenses => {
      const own = byOrganization.get(row.id) ?? [];
      const last = own.find(({ day }) => day === range.last);
      return {
        ...getOwner(report, row),
        used: last?.used ?? 0,
        peak: Math.max(0, ...own.map(({ used }) => used)),
        added: added.get(row.id) ?? 0,
        free: last?.free ?? 0,
        bytes: isBackedUpHere(row) ? (last?.bytes ?? 0) : null,
      };
    }),
    days: Array.from({ length: range.last - range.first + 1 }, (_, index) => ({
      day: dayText(range.first + index),
      used: totals.get(range.first + index) ?? 0,
    })),
  };
}

async function readUsers(
  tx: TenantTx,
  report: Report,
  { state, text }: UserFilters,
  page: { readonly offset: number; readonly limit: number },
): Promise<{ readonly rows: LicensedUser[]; readonly count: number }> {
  const { organizations, range, timeZone, now } = report;
  const { rows, count } = await listLicensedUsers(tx, {
    organizations: organizations.map(({ id }) => id),
    range,
    timeZone,
    now,
    state,
    text,
    ...page,
  });
  const owners = new Map(organizations.map((row) => [row.id, getOwner(report, row)]));
  return {
    count,
    rows: rows.flatMap(({ organizationId, ...user }) => {
      const owner = owners.get(organizationId);
      return owner === undefined ? [] : [{ ...owner, ...user }];
    }),
  };
}
