import { sql } from 'kysely';
import type { CompanyUsage, OwnHolder, OwnLine } from '#contract/billing/licensing-calls.ts';
import { UNITS } from '#contract/billing/licensing-calls.ts';
import type { OutputOf } from '#contract/calls.ts';
import type { CompanyN } from '#contract/ids.ts';
import { companyNames, knownJobs } from '#server/platform/queries/known-jobs.ts';
import type { QueryScope } from '#server/platform/queries/query.ts';
import { loadTotals } from '#server/platform/queries/totals.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import type { MonthSpan } from './months.ts';
import { loadUsage, WORKLOAD_NAMES } from './usage.ts';

type Line = Pick<OwnLine, 'product' | 'workload' | 'unit'>;

/**
 * LIC-5: returns what each company in reach uses in the first of the months and used in the next;
 * `months` is sorted newest first. With access to all companies, returns the provider's total. The
 * same product from two connections is one line, because connections are internal to the provider.
 */
export async function ownUsage(
  tx: TenantTx,
  reach: QueryScope,
  months: readonly MonthSpan[],
): Promise<OutputOf<'listOwnSubscriptions'>> {
  const [present, before] = months;
  if (!present || !before) throw new Error('two months are returned');
  const whole = reach.companies === null;
  const of = (company: CompanyN | null): CompanyN | null => (whole ? null : company);
  const now = await loadUsage(tx, tx.tenant, reach, present, true);
  const was = await loadUsage(tx, tx.tenant, reach, before, false);
  const since = await loadFirstUse(tx, reach, months, of);
  const lines = new Map<CompanyN | null, Map<string, OwnLine>>();
  const put = (all: readonly CompanyUsage[], which: 'used' | 'before'): void => {
    for (const { company, lines: details } of all) {
      for (const { product, workload, unit, used } of details) {
        const own = lines.get(of(company)) ?? new Map<string, OwnLine>();
        const key = getKey({ product, workload, unit });
        const line = own.get(key) ?? {
          product,
          workload,
          unit,
          used: 0,
          before: 0,
          since: since(of(company), { product, workload, unit }),
        };
        own.set(key, { ...line, [which]: line[which] + used });
        lines.set(of(company), own);
      }
    }
  };
  put(now, 'used');
  put(was, 'before');
  const getLines = (company: CompanyN | null): OwnLine[] =>
    [...(lines.get(company)?.values() ?? [])].toSorted((a, b) => order(getKey(a), getKey(b)));
  return {
    month: present.month,
    before: before.month,
    holders: whole
      ? [{ company: null, name: await loadName(tx), lines: getLines(null) }]
      : await ofCompanies(tx, reach, getLines),
  };
}

async function ofCompanies(
  tx: TenantTx,
  { companies, without }: QueryScope,
  getLines: (company: CompanyN) => OwnLine[],
): Promise<OwnHolder[]> {
  const names = await companyNames(tx);
  const own = (companies ?? []).filter((n) => names.has(n) && !without.includes(n));
  return own
    .map((company) => ({ company, name: names.get(company) ?? '', lines: getLines(company) }))
    .toSorted((a, b) => a.name.localeCompare(b.name, 'en', { numeric: true, sensitivity: 'base' }));
}

const loadName = async ({ sql: db, tenant }: TenantTx): Promise<string> =>
  (
    await db
      .selectFrom('provider')
      .select('branding')
      .where('tenant_id', '=', tenant)
      .executeTakeFirstOrThrow()
  ).branding.name;

const getKey = ({ product, workload, unit }: Line): string => [product, workload, unit].join('\0');
const order = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/**
 * Returns a function that returns the first month in which a company's line occurs; null if that is
 * the oldest of the months, or none is known.
 */
async function loadFirstUse(
  tx: TenantTx,
  reach: QueryScope,
  months: readonly MonthSpan[],
  of: (company: CompanyN | null) => CompanyN | null,
): Promise<(company: CompanyN | null, line: Line) => string | null> {
  const first = new Map<string, string>();
  const keep = (key: string, month: string): void => {
    if (month < (first.get(key) ?? '9')) first.set(key, month);
  };
  for (const { key, month } of [
    ...(await countedMonths(tx, reach, months, of)),
    ...(await loadMonthlyUsage(tx, reach, months, of)),
  ])
    keep(key, month);
  const oldest = months.at(-1)?.month;
  return (company, line) => {
    const month = first.get(getHeld(company, line)) ?? months[0]?.month ?? null;
    return month === oldest ? null : month;
  };
}

interface Heard {
  readonly key: string;
  readonly month: string;
}
/** Lines of jobs and of their computers share a key, because both begin in the same month. */
const getHeld = (company: CompanyN | null, { product, workload, unit }: Line): string =>
  [company ?? '', product, workload, product === 'Daybook' ? '' : unit].join('\0');

/** Returns the months in which jobs had results, by company and group. */
async function countedMonths(
  tx: TenantTx,
  reach: QueryScope,
  months: readonly MonthSpan[],
  of: (company: CompanyN | null) => CompanyN | null,
): Promise<readonly Heard[]> {
  const keys: string[] = [];
  const classes = new Map<string, number>();
  const classByJob = new Map(
    [...(await knownJobs(tx, reach))].map(([n, { job }]) => {
      const key = getHeld(of(job.company), {
        product: 'Daybook',
        workload: WORKLOAD_NAMES[job.group],
        unit: 'Jobs',
      });
      const known = classes.get(key) ?? keys.push(key) - 1;
      classes.set(key, known);
      return [n, known] as const;
    }),
  );
  const oldest = months.toReversed();
  const edges = [...oldest.map(({ from }) => from), oldest.at(-1)?.to ?? 0];
  return (await loadTotals(tx, reach, edges, classByJob, [])).flatMap(
    ({ stretch, class: one, state }) => {
      const key = keys[one];
      const month = oldest[stretch]?.month;
      return state === 'Missed' || key === undefined || month === undefined ? [] : [{ key, month }];
    },
  );
}

const usedIn = (field: string) =>
  sql`case when json_typeof(row->${field}::text) = 'number' then (row->>${field}::text)::float8 else 0 end > 0`;

/** Returns the months in which connections reported licenses. */
async function loadMonthlyUsage(
  tx: TenantTx,
  { companies, without }: QueryScope,
  months: readonly MonthSpan[],
  of: (company: CompanyN | null) => CompanyN | null,
): Promise<readonly Heard[]> {
  const { rows } = await sql<{
    readonly month: string;
    readonly company_n: CompanyN | null;
    readonly product: string;
    readonly workload: string;
    readonly unit: string | null;
  }>`
    select distinct month, company_n, coalesce(nullif(row->>'product', ''), 'Unknown') as product, coalesce(row->>'workload', '') as workload, row->>'unitType' as unit
    from licence_month where tenant_id = ${tx.tenant} and month >= ${months.at(-1)?.month ?? ''} and (${usedIn('usedUnits')} or ${usedIn('usedCount')})
      and ${companies === null ? sql`true` : sql`company_n = any(${`{${companies.join(',')}}`}::text::bigint[])`}`.execute(
    tx.sql,
  );
  return rows
    .filter(({ company_n: n }) => n === null || !without.includes(n))
    .map(({ month, company_n: company, product, workload, unit }) => ({
      key: getHeld(of(company), {
        product,
        workload,
        unit: UNITS.find((one) => one === unit) ?? 'Instances',
      }),
      month,
    }));
}
