import type {
  CompanyUsage,
  LicensingLine,
  OwnWorkload,
} from '#contract/billing/licensing-calls.ts';
import { OWN_WORKLOADS, UNITS } from '#contract/billing/licensing-calls.ts';
import type { CompanyN, TenantId } from '#contract/ids.ts';
import type { EntityGroup } from '#contract/runs/vocabulary.ts';
import { listJobsByName, companyNames, knownJobs } from '#server/platform/queries/known-jobs.ts';
import type { KnownJob } from '#server/platform/queries/known-jobs.ts';
import type { QueryScope } from '#server/platform/queries/query.ts';
import { loadTotals } from '#server/platform/queries/totals.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import type { MonthSpan } from './months.ts';
import { billingMessages as t } from './messages.en.ts';

/**
 * LIC-1: returns each company's usage in a month, sorted by name, and last the usage without a
 * company. Companies without usage have no lines.
 */
export async function loadUsage(
  tx: TenantTx,
  tenant: TenantId,
  reach: QueryScope,
  month: MonthSpan,
  isNow: boolean,
): Promise<readonly CompanyUsage[]> {
  const names = await companyNames(tx);
  const lines = new Map<CompanyN | null, LicensingLine[]>();
  const put = (company: CompanyN | null, line: LicensingLine): void => {
    const own = lines.get(company) ?? [];
    own.push(line);
    lines.set(company, own);
  };
  for (const [company, jobs] of Map.groupBy(
    await loadJobs(tx, reach, month),
    ({ job }) => job.company,
  ))
    for (const line of counted(jobs)) put(company, line);
  for (const { company, line } of await loadUsageDetails(tx, reach, month.month, isNow))
    put(company, line);
  return [...lines]
    .map(([company, all]): CompanyUsage => ({
      serviceProviderId: tenant,
      company,
      companyName: company === null ? '' : (names.get(company) ?? ''),
      lines: all.toSorted(byWords),
    }))
    .toSorted(
      (a, b) =>
        Number(a.company === null) - Number(b.company === null) ||
        a.companyName.localeCompare(b.companyName, 'en', { numeric: true, sensitivity: 'base' }),
    );
}

/** Returns the jobs that had a result in the month. */
async function loadJobs(
  tx: TenantTx,
  reach: QueryScope,
  { from, to }: MonthSpan,
): Promise<readonly KnownJob[]> {
  const ran = new Set(
    (await loadTotals(tx, reach, [from, to], null, []))
      .filter(({ state }) => state !== 'Missed')
      .map((one) => one.class),
  );
  return listJobsByName(await knownJobs(tx, reach)).filter(({ job }) => ran.has(job.n));
}

export const WORKLOAD_NAMES = Object.fromEntries(OWN_WORKLOADS) as Readonly<
  Record<EntityGroup, OwnWorkload>
>;

/** Counts a computer once per company and group, by its name regardless of case. */
function counted(jobs: readonly KnownJob[]): readonly LicensingLine[] {
  return [...Map.groupBy(jobs, ({ job }) => job.group)].flatMap(([group, all]): LicensingLine[] => {
    const computers = new Set(
      all.flatMap(({ job }) => (job.computer === '' ? [] : [job.computer.toLowerCase()])),
    ).size;
    const line = {
      product: 'Daybook',
      workload: WORKLOAD_NAMES[group],
      fresh: null,
      rental: null,
      source: null,
    };
    return [
      ...(computers === 0 ? [] : [{ ...line, unit: 'Computers' as const, used: computers }]),
      { ...line, unit: 'Jobs', used: all.length },
    ];
  });
}

type UsageDetails = Readonly<Record<string, unknown>>;

/**
 * Returns what connections reported: the current state for this month, the last one for an earlier
 * month. Usage without a company is visible only to users with access to all companies.
 */
async function loadUsageDetails(
  tx: TenantTx,
  { companies, without }: QueryScope,
  month: string,
  isNow: boolean,
): Promise<readonly { readonly company: CompanyN | null; readonly line: LicensingLine }[]> {
  const { sql: db, tenant } = tx;
  const rows = isNow
    ? await db
        .selectFrom('collected')
        .select(['connection_id', 'company_n', 'row'])
        .where('tenant_id', '=', tenant)
        .where('entity', '=', 'licences')
        .execute()
    : await db
        .selectFrom('licence_month')
        .select(['connection_id', 'company_n', 'row'])
        .where('tenant_id', '=', tenant)
        .where('month', '=', month)
        .execute();
  const names = new Map(
    (
      await db
        .selectFrom('connection')
        .select(['id', 'name'])
        .where('tenant_id', '=', tenant)
        .execute()
    ).map(({ id, name }) => [id, name]),
  );
  const seen = (company: CompanyN | null): boolean =>
    company === null
      ? companies === null
      : !without.includes(company) && (companies === null || companies.includes(company));
  return rows
    .filter(({ company_n: company }) => seen(company))
    .flatMap(({ connection_id: id, company_n: company, row }) => {
      const line = getLine(row, names.get(id) ?? t.formerConnection);
      return line === null ? [] : [{ company, line }];
    });
}

/** Uses units if there are any, otherwise counts. Returns null if nothing was used. */
function getLine(row: UsageDetails, source: string): LicensingLine | null {
  const unit = UNITS.find((one) => one === row['unitType']) ?? 'Instances';
  const [used, fresh, rental] = ['used', 'new', 'rental'].map(
    (one) => numberIn(row, `${one}Units`) ?? numberIn(row, `${one}Count`),
  );
  if (used === null || used === undefined || used === 0) return null;
  return {
    product: textIn(row, 'product') ?? 'Unknown',
    workload: textIn(row, 'workload') ?? '',
    unit,
    used,
    fresh: fresh ?? null,
    rental: rental ?? null,
    source,
  };
}
const numberIn = (row: UsageDetails, name: string): number | null => {
  const one = row[name];
  return typeof one === 'number' && one > 0 ? one : null;
};
const textIn = (row: UsageDetails, name: string): string | null => {
  const one = row[name];
  return typeof one === 'string' && one !== '' ? one : null;
};

const byWords = (a: LicensingLine, b: LicensingLine): number =>
  a.product.localeCompare(b.product) ||
  a.workload.localeCompare(b.workload) ||
  a.unit.localeCompare(b.unit) ||
  (a.source ?? '').localeCompare(b.source ?? '');

/** Returns the lines of all companies, summed. A value that no source reports stays null. */
export function summed(companies: readonly CompanyUsage[]): readonly LicensingLine[] {
  const groups = Map.groupBy(
    companies.flatMap(({ lines }) => lines),
    ({ product, workload, unit, source }) => JSON.stringify([product, workload, unit, source]),
  );
  return [...groups.values()]
    .flatMap((all) => {
      const [first] = all;
      return first
        ? [
            {
              ...first,
              used: all.reduce((total, { used }) => total + used, 0),
              fresh: sum(all, 'fresh'),
              rental: sum(all, 'rental'),
            },
          ]
        : [];
    })
    .toSorted(byWords);
}

const sum = (all: readonly LicensingLine[], of: 'fresh' | 'rental'): number | null =>
  all.every((one) => one[of] === null)
    ? null
    : all.reduce((total, one) => total + (one[of] ?? 0), 0);
