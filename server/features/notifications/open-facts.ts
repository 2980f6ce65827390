import { formatTag } from '#contract/i18n/messages.ts';
import { sql } from 'kysely';
import type { Ms } from '#contract/ids.ts';
import { fullAt } from '#contract/repositories/capacity.ts';
import {
  FULL_SHARE,
  FULL_SOON_DAYS,
  SOURCE_DAY_MS,
  SOURCE_FAILS,
  SOURCE_WEEK_MS,
} from '#contract/notifications/notifications.ts';
import type { IngestKeyRow, RepositoryRow } from '#contract/runs/rows.ts';
import type { SlaRow } from '#contract/sla/sla.ts';
import { companyNames } from '#server/platform/queries/known-jobs.ts';
import { loadRepositories } from '#server/platform/queries/repositories.ts';
import { isoOrNull } from '#server/platform/queries/run-details.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import { loadDeletedCompanies } from './audience.ts';
import { toOneLine } from './fact.ts';
import type { NotificationFact } from './fact.ts';
import { notificationMessages as t } from './messages.en.ts';

/**
 * NOTIFY-1: returns ongoing conditions: broken alarms, repositories that fill up, silent sources.
 */
export async function findOpenFacts(tx: TenantTx, now: Ms): Promise<readonly NotificationFact[]> {
  const names = await companyNames(tx);
  const deleted = await loadDeletedCompanies(tx);
  const repositories = (
    await loadRepositories(tx, { companies: null, without: [...deleted] })
  ).flatMap((row) => repositoryFact(row, names.get(row.company) ?? '', now) ?? []);
  return [
    ...(await slaFacts(tx)),
    ...repositories,
    ...(await keyFacts(tx, names, now)),
    ...(await connectionFacts(tx)),
  ];
}

async function slaFacts(tx: TenantTx): Promise<readonly NotificationFact[]> {
  const rows = await tx.sql
    .selectFrom('sla_alarm')
    .select(['row', 'broken_since'])
    .where('tenant_id', '=', tx.tenant)
    .where('broken_since', 'is not', null)
    .execute();
  return rows.flatMap(({ row, broken_since: since }) => (row.enabled ? [slaFact(row, since)] : []));
}
const slaFact = ({ id, name, companies }: SlaRow, since: Ms | null): NotificationFact => ({
  category: 'sla',
  subject: `sla:${id}:${since ?? 0}`,
  companies,
  link: `/monitoring/sla?alarm=${id}`,
  line: () => toOneLine(name),
  data: { alarm: { id, name }, since: isoOrNull(since) },
});

function repositoryFact(row: RepositoryRow, companyName: string, now: Ms): NotificationFact | null {
  const { id, company, name, capacityBytes, usedBytes, freeBytes } = row;
  const full = fullAt(row);
  const days = full === null ? null : Math.max(0, Math.floor((full - now) / SOURCE_DAY_MS));
  const used =
    usedBytes ?? (capacityBytes !== null && freeBytes !== null ? capacityBytes - freeBytes : null);
  const share =
    capacityBytes !== null && capacityBytes > 0 && used !== null ? used / capacityBytes : null;
  if ((days === null || days >= FULL_SOON_DAYS) && (share === null || share < FULL_SHARE))
    return null;
  return {
    category: 'repository',
    subject: `repository:${id}`,
    companies: company === 0 ? null : [company],
    link: `/monitoring/repositories?open=${encodeURIComponent(id)}`,
    line: () => {
      const repository =
        companyName === '' ? name : t.companyItem({ company: companyName, item: name });
      return toOneLine(
        days === 0
          ? t.repositoryFull({ repository })
          : days !== null && days < FULL_SOON_DAYS
            ? t.repositoryFullIn({ repository, days })
            : t.repositoryUsed({ repository, share: percent(share ?? 0) }),
      );
    },
    data: {
      repository: { id, name },
      company: company === 0 ? null : { n: company, name: companyName },
      fullAt: isoOrNull(full),
      usedShare: share,
    },
  };
}

/** Rounded down, so that it never shows 100 % for less. */
const percent = (share: number): string =>
  new Intl.NumberFormat(formatTag(), { style: 'percent' }).format(Math.floor(share * 100) / 100);

/**
 * Returns facts for silent keys that were heard before. Keys of a connection are left out, because
 * the connection has its own fact. Jobs are counted in a second query: in a single one the planner
 * reads every problem for every job, which takes minutes with 10,000 jobs.
 */
async function keyFacts(
  tx: TenantTx,
  names: ReadonlyMap<number, string>,
  now: Ms,
): Promise<readonly NotificationFact[]> {
  const { rows } = await sql<{
    row: IngestKeyRow;
    heard: number;
    faulty: boolean;
  }>`select k.row, h.last_heard_at::float8 as heard, coalesce(h.last_fault_at > h.last_heard_at, false) as faulty
    from source_key as k join source_health as h on h.tenant_id = k.tenant_id and h.key_id = k.id
    where k.tenant_id = ${tx.tenant} and k.row->>'revokedAt' is null and k.row->>'connection' is null and h.last_heard_at < ${now - SOURCE_DAY_MS} order by k.id`.execute(
    tx.sql,
  );
  if (rows.length === 0) return [];
  const counted = await sql<{
    key: string;
    jobs: number;
    overdue: number;
  }>`select job.key_id as key, count(*)::int as jobs, count(p.n)::int as overdue
    from job left join problem as p on p.tenant_id = job.tenant_id and p.job_n = job.n and p.n = (job.row->>'problem')::bigint and p.row->>'state' = 'Missed'
    where job.tenant_id = ${tx.tenant} and job.key_id in (${sql.join(rows.map(({ row }) => row.id))}) and job.row->>'enabled' = 'true'
      and (job.row->'missedIgnored'->>'at' is null or (job.row->'missedIgnored'->>'until')::float8 < ${now}) group by job.key_id`.execute(
    tx.sql,
  );
  const jobsByKey = new Map(counted.rows.map((one) => [one.key, one]));
  return rows.flatMap(({ row: { id, name, company }, heard, faulty }): NotificationFact[] => {
    const { jobs, overdue } = jobsByKey.get(id) ?? { jobs: 0, overdue: 0 };
    if (jobs === 0 || (!faulty && overdue < jobs && now - heard < SOURCE_WEEK_MS)) return [];
    const companyName = names.get(company) ?? '';
    return [
      {
        category: 'source',
        subject: `key:${id}`,
        companies: [company],
        link: '/monitoring/sources',
        line: () =>
          toOneLine(
            (faulty ? t.sourceRefused : t.sourceSilent)({ company: companyName, source: name }),
          ),
        data: {
          source: toSource(id, name, 'key'),
          company: { n: company, name: companyName },
          lastHeardAt: isoOrNull(heard),
          jobs,
        },
      },
    ];
  });
}

async function connectionFacts(tx: TenantTx): Promise<readonly NotificationFact[]> {
  const rows = await tx.sql
    .selectFrom('connection')
    .innerJoin('collection', (on) =>
      on
        .onRef('collection.tenant_id', '=', 'connection.tenant_id')
        .onRef('collection.connection_id', '=', 'connection.id'),
    )
    .select([
      'connection.id',
      'connection.name',
      'connection.company_n',
      (e) => e.fn.max('collection.error').as('error'),
      (e) => e.fn.min('collection.succeeded_at').as('succeeded_at'),
    ])
    .where('connection.tenant_id', '=', tx.tenant)
    .where('connection.enabled', '=', true)
    .where('collection.fails', '>=', SOURCE_FAILS)
    .groupBy(['connection.id', 'connection.name', 'connection.company_n'])
    .orderBy('connection.id')
    .execute();
  return rows.map(
    ({ id, name, company_n: company, error, succeeded_at: at }): NotificationFact => ({
      category: 'source',
      subject: `connection:${id}`,
      companies: company === null ? null : [company],
      link: '/monitoring/connections',
      line: () =>
        toOneLine(
          error === null
            ? t.connectionFailed({ connection: name })
            : t.connectionError({ connection: name, error }),
        ),
      data: { source: toSource(id, name, 'connection'), lastHeardAt: isoOrNull(at), error },
    }),
  );
}

/** `is`: the former name of `kind` in webhooks, until the next version. */
const toSource = (id: string, name: string, kind: 'key' | 'connection') => ({
  id,
  name,
  kind,
  is: kind,
});
