/**
 * How long reports over twelve months take, read from the results and from the totals of days, on a
 * provider as large as the large estate: `node tests/bench/reports.ts [DATABASE_URL]`, `DATA` the
 * folder of an embedded database (a new one in memory without it), `JOBS` (10,000), `COMPANIES`
 * (1,000), `DAYS` of results (366), `A_DAY` (2, as the large estate has), `BEFORE=0` leaves the
 * reading of results out, `TENANT` asks one that was made before.
 */
import { randomUUID } from 'node:crypto';
import { loadavg } from 'node:os';
import { sql } from 'kysely';
import { makeAppContext } from '../../server/make-app-context.ts';
import { systemChance } from '../../server/platform/random.ts';
import { systemClock } from '../../server/platform/clock.ts';
import type { SessionContext } from '../../server/platform/http/handler.ts';
import { reportingHandlers } from '../../server/reporting-handlers.ts';
import { sumUpDays } from '../../server/platform/queries/sum-days.ts';
import { openStore } from '../../server/platform/db/open.ts';
import { makeTenant } from '../../server/platform/db/tenants.ts';
import { aBranding } from '../server/db/drafts.ts';

const of = (name: string, fallback: number): number => Number(process.env[name] ?? fallback);
const JOBS = of('JOBS', 10_000);
const COMPANIES = of('COMPANIES', 1_000);
const DAYS = of('DAYS', 366);
const A_DAY = of('A_DAY', 2);
const DAY = 86_400_000;
const log = {
  info: () => undefined,
  warn: console.error,
  error: (what: string, fields?: unknown) => {
    console.error(what, JSON.stringify(fields)?.slice(0, 200));
  },
};
const store = await openStore({
  dataDir: process.env['DATA'] ?? '',
  databaseUrl: process.argv[2] ?? null,
  memory: process.env['DATA'] === undefined,
  log,
  clock: systemClock,
});
const context = makeAppContext({
  store,
  clock: systemClock,
  chance: systemChance,
  log,
  config: {
    port: 0,
    dataDir: '',
    databaseUrl: null,
    pageDir: null,
    trustedProxies: [],
    secretKey: null,
  },
});
const made = process.env['TENANT'];
const tenant = made ?? randomUUID();
const now = Math.floor(systemClock.now() / DAY) * DAY + DAY / 2;
if (made === undefined) {
  await makeTenant(store, { tenant, host: null, branding: aBranding, isDefault: false });
  await fill();
}
const handlers = reportingHandlers(context);
const ctx: SessionContext = {
  tenant,
  command: null,
  signal: null,
  now,
  ip: '',
  host: '',
  request: new Request('http://localhost'),
  answer: new Headers(),
  session: {
    sessionId: '',
    userId: '',
    roles: ['operator'],
    companies: null,
    actor: '',
    impersonation: null,
    beganAt: 0,
    authenticatedAt: 0,
    mustReset: false,
  },
};
const time = { from: now - DAY / 2 - 365 * DAY, to: now + DAY / 2 };
const QUESTIONS: readonly (readonly [string, () => Promise<{ readonly ok: boolean }>])[] = [
  ['trends', () => handlers.analytics(time, ctx)],
  ['trends, chart by company', () => handlers.chartFailures({ ...time, by: 'company' }, ctx)],
  ['stats', () => handlers.overviewStats(time, ctx)],
  ['chart', () => handlers.chartResults(time, ctx)],
  ['ranking, transferred', () => handlers.rankTransferred({ ...time, limit: 100 }, ctx)],
  [
    'ranking, duration, of 10 companies',
    () =>
      handlers.rankDuration(
        {
          ...time,
          limit: 100,
          filters: { companyIds: Array.from({ length: 10 }, (_, i) => i + 1) },
        },
        ctx,
      ),
  ],
  [
    'spreadsheet, a page of 100 jobs',
    () => handlers.spreadsheetReport({ ...time, page: 3, pageSize: 100 }, ctx),
  ],
  [
    'spreadsheet, by company',
    () => handlers.spreadsheetReport({ ...time, by: 'company', pageSize: 100 }, ctx),
  ],
  ['spreadsheet, stats', () => handlers.spreadsheetStats(time, ctx)],
];
if (of('BEFORE', 1) === 1) await askAll('read from the results');
const begun = performance.now();
await sumUpDays(context, tenant, now);
console.log(
  `${store.kind}: ${DAYS} days summed up in ${((performance.now() - begun) / 1000).toFixed(1)} s`,
);
await askAll('read from the totals of days');
await store.close();

async function askAll(what: string): Promise<void> {
  console.log(
    `\n${store.kind}, ${JOBS.toLocaleString('en')} jobs, ${(JOBS * DAYS * A_DAY).toLocaleString('en')} results, 12 months ${what}; load average ${(loadavg()[0] ?? 0).toFixed(1)}`,
  );
  for (const [name, question] of QUESTIONS) {
    const times: number[] = [];
    let ok = true;
    while (ok && times.length < 2) {
      const began = performance.now();
      ({ ok } = await question());
      times.push((performance.now() - began) / 1000);
      if ((times[0] ?? 0) > 15) break;
    }
    console.log(
      `  ${name.padEnd(40)}${ok ? `${Math.min(...times).toFixed(2)} s` : `not answered, given up after ${Math.max(...times).toFixed(0)} s`}`,
    );
  }
}

/**
 * Straight into the rows: what the log would say is not asked here. A day at a time, so that they
 * lie as they would have come.
 */
async function fill(): Promise<void> {
  await store.tenant(tenant, async ({ sql: db }) => {
    await sql`insert into company (tenant_id, n, row) select ${tenant}::uuid, i, json_build_object('n', i, 'id', i::text, 'name', 'Company ' || i) from generate_series(1, ${COMPANIES}::int) as i`.execute(
      db,
    );
    await sql`insert into job (tenant_id, n, key_id, uid, company_n, row) select ${tenant}::uuid, i, 'k', 'job-' || i, 1 + i % ${COMPANIES}::int, json_build_object('n', i, 'uid', 'job-' || i, 'key', 'k', 'company', 1 + i % ${COMPANIES}::int,
      'name', 'Backup of server ' || i, 'source', (array['restic', 'veeam-vbr', 'borg'])[1 + i % 3], 'type', (array['Backup', 'BackupCopy', 'Replica'])[1 + i % 3], 'group', 'other', 'computer', 'pc-' || i, 'server', '', 'managed', null, 'enabled', true, 'schedule', null,
      'graceSec', null, 'firstSeenAt', 0, 'missedIgnored', null, 'disabledIgnored', null, 'problem', null) from generate_series(1, ${JOBS}::int) as i`.execute(
      db,
    );
  });
  const each = JOBS * A_DAY;
  const first = now - DAY / 2 - (DAYS - 1) * DAY;
  for (let day = 0; day < DAYS; day++) {
    await store.tenant(tenant, ({ sql: db }) =>
      sql`insert into run (tenant_id, n, key_id, uid, job_n, company_n, started_at, status, problem_n, seq, row)
      select ${tenant}::uuid, n, 'k', 'run-' || n, job, 1 + job % ${COMPANIES}::int, at, status, null, 1, json_build_object('n', n, 'job', job, 'company', 1 + job % ${COMPANIES}::int, 'key', 'k', 'uid', 'run-' || n, 'status', status, 'startedAt', at, 'endedAt', at + 600000,
        'durationSec', 300 + n % 900, 'bytes', 1234567890 + n, 'bytesProcessed', 98765432100, 'files', 12345, 'filesFailed', 0, 'message', case when status = 'Success' then null else 'The repository is locked by another process' end,
        'exitCode', 0, 'anomaly', '[]'::json, 'problem', null, 'hasLog', false, 'detail', json_build_object('snapshot', 'abcdef0123456789'))::text::json
      from (select ${day * each}::bigint + i as n, 1 + i % ${JOBS}::int as job, ${first + day * DAY}::bigint + (i * 7919 % 86400)::bigint * 1000 as at,
        case when i * 31 % 100 < 3 then 'Failed' when i * 31 % 100 < 6 then 'Warning' when i * 31 % 100 = 7 then 'Missed' else 'Success' end as status from generate_series(1, ${each}::int) as i) as one`.execute(
        db,
      ),
    );
  }
  console.log(`${store.kind}: ${tenant} is filled; load average ${(loadavg()[0] ?? 0).toFixed(1)}`);
}
