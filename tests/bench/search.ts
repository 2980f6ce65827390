/**
 * How long the server searches, beside a plain `ilike` over the messages of all results, on a
 * provider as large as the large estate: `node tests/bench/search.ts [DATABASE_URL]`, `DATA` the
 * folder of an embedded database (a new one in memory without it), `JOBS` (10,000), `COMPANIES`
 * (1,000), `DAYS` of results (366), `A_DAY` (2), `NAIVE=0` leaves the plain one out, `TENANT` asks
 * one that was made before.
 */
import { randomUUID } from 'node:crypto';
import { loadavg } from 'node:os';
import { sql } from 'kysely';
import { makeAppContext } from '../../server/make-app-context.ts';
import { systemChance } from '../../server/platform/random.ts';
import { systemClock } from '../../server/platform/clock.ts';
import type { SessionContext } from '../../server/platform/http/handler.ts';
import { searchHandlers } from '../../server/features/search/handlers.ts';
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
const CAUSES = 500;
const log = {
  info: () => undefined,
  warn: console.error,
  error: (what: string, fields?: unknown) => {
    console.error(what, JSON.stringify(fields)?.slice(0, 300));
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
  await sumUpDays(context, tenant, now);
}
const { search } = searchHandlers(context);
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
    userId: randomUUID(),
    roles: ['operator', 'admin'],
    companies: null,
    actor: '',
    impersonation: null,
    beganAt: 0,
    authenticatedAt: 0,
    mustReset: false,
  },
};
const day = (back: number): string => new Date(now - back * DAY).toISOString().slice(0, 10);
const QUESTIONS: readonly (readonly [string, string, string])[] = [
  ['two letters that everything has', 'ba', 'ba'],
  ['a company', 'company 77', 'company 77'],
  ['one job', 'server 4711', 'server 4711'],
  ['a cause', 'quota', 'quota'],
  ['a cause that is rare', 'writer 418', 'writer 418'],
  ['a job and a cause', 'pc-4711 refused', 'refused'],
  ['a day', day(200), ''],
  ['a cause and a day', `quota ${day(200)}`, 'quota'],
  ['a cause and a month', `writer 418 ${day(200).slice(0, 7)}`, 'writer 418'],
  ['nothing', 'zzz of nowhere', 'zzz of nowhere'],
];
console.log(
  `\n${store.kind}, ${JOBS.toLocaleString('en')} jobs, ${(JOBS * DAYS * A_DAY).toLocaleString('en')} results; load average ${(loadavg()[0] ?? 0).toFixed(1)}`,
);
for (const [what, text, plain] of QUESTIONS) {
  const [searched, naive] = [
    await best(async () => search({ text }, ctx)),
    of('NAIVE', 1) === 1 && plain !== '' ? await best(() => ilike(plain)) : '–',
  ];
  console.log(
    `  ${what.padEnd(34)}${searched.padStart(10)}${`ilike over results ${naive}`.padStart(34)}`,
  );
}
await store.close();

/** The best of three; one that takes long is asked once. */
async function best(question: () => Promise<unknown>): Promise<string> {
  const times: number[] = [];
  while (times.length < 3) {
    const began = performance.now();
    await question();
    times.push(performance.now() - began);
    if ((times[0] ?? 0) > 3_000) break;
  }
  return `${Math.min(...times).toFixed(0)} ms`;
}

/**
 * What one would write without thinking: the newest results that have it in their message or the
 * name of their job.
 */
function ilike(text: string): Promise<unknown> {
  return store.tenant(
    tenant,
    ({ sql: db }) =>
      sql`select run.n from run join job on job.tenant_id = ${tenant} and job.n = run.job_n
    where run.tenant_id = ${tenant} and run.started_at < ${now - 29 * DAY} and (run.row->>'message' ilike ${`%${text}%`} or job.row->>'name' ilike ${`%${text}%`}) order by run.started_at desc limit 6`.execute(
        db,
      ),
    { readOnly: true },
  );
}

/**
 * Straight into the rows: what the log would say is not asked here. A day at a time, so that they
 * lie as they would have come.
 */
async function fill(): Promise<void> {
  const message = `(array['The quota of the vault is used up', 'dial tcp: connect: connection refused by host', 'VSS writer ' || c || ' timed out', 'The repository is locked by another process'])[1 + c % 4]`;
  await store.tenant(tenant, async ({ sql: db }) => {
    await sql`insert into company (tenant_id, n, row) select ${tenant}::uuid, i, json_build_object('n', i, 'id', i::text, 'name', 'Company ' || i) from generate_series(1, ${COMPANIES}::int) as i`.execute(
      db,
    );
    await sql`insert into job (tenant_id, n, key_id, uid, company_n, row) select ${tenant}::uuid, i, 'k', 'job-' || i, 1 + i % ${COMPANIES}::int, json_build_object('n', i, 'uid', 'job-' || i, 'key', 'k', 'company', 1 + i % ${COMPANIES}::int,
      'name', 'Backup of server ' || i, 'source', 'restic', 'type', 'Backup', 'group', 'other', 'computer', 'pc-' || i, 'server', '', 'managed', null, 'enabled', true, 'schedule', null,
      'graceSec', null, 'firstSeenAt', 0, 'missedIgnored', null, 'disabledIgnored', null, 'problem', null) from generate_series(1, ${JOBS}::int) as i`.execute(
      db,
    );
    await sql`insert into cause (tenant_id, n, kind, template, row) select ${tenant}::uuid, c, 'other', t || ' ' || c, json_build_object('n', c, 'kind', 'other', 'template', t || ' ' || c) from (select c, ${sql.raw(message)} as t from generate_series(1, ${CAUSES}::int) as c) as one`.execute(
      db,
    );
  });
  const each = JOBS * A_DAY;
  const first = now - DAY / 2 - (DAYS - 1) * DAY;
  for (let at = 0; at < DAYS; at++) {
    await store.tenant(tenant, async ({ sql: db }) => {
      await sql`insert into run (tenant_id, n, key_id, uid, job_n, company_n, started_at, status, problem_n, seq, row)
        select ${tenant}::uuid, n, 'k', 'run-' || n, job, 1 + job % ${COMPANIES}::int, at, status, problem, 1, json_build_object('n', n, 'job', job, 'company', 1 + job % ${COMPANIES}::int, 'key', 'k', 'uid', 'run-' || n, 'status', status, 'startedAt', at, 'endedAt', at + 600000,
          'durationSec', 300 + n % 900, 'bytes', 1234567890 + n, 'bytesProcessed', 98765432100, 'files', 12345, 'filesFailed', 0, 'message', case when problem is null then null else ${sql.raw(message)} end,
          'exitCode', 0, 'anomaly', '[]'::json, 'problem', problem, 'hasLog', false, 'detail', json_build_object('snapshot', 'abcdef0123456789'))::text::json
        from (select n, job, at, status, 1 + n % ${CAUSES}::bigint as c, case when status = 'Success' then null else n end as problem from (select ${at * each}::bigint + i as n, 1 + i % ${JOBS}::int as job, ${first + at * DAY}::bigint + (i * 7919 % 86400)::bigint * 1000 as at,
          case when (i + ${at}::int) * 31 % 100 < 3 then 'Failed' when (i + ${at}::int) * 31 % 100 < 6 then 'Warning' else 'Success' end as status from generate_series(1, ${each}::int) as i) as few) as one`.execute(
        db,
      );
      await sql`insert into problem (tenant_id, n, job_n, company_n, cause_n, last_at, closed_at, row) select tenant_id, n, job_n, company_n, 1 + n % ${CAUSES}::bigint, started_at, started_at + 1,
          json_build_object('n', n, 'job', job_n, 'company', company_n, 'cause', 1 + n % ${CAUSES}::bigint, 'state', status, 'openedAt', started_at, 'lastAt', started_at, 'lastRun', n, 'runs', 1, 'closedAt', started_at + 1, 'closedBy', 'success', 'review', null, 'snooze', null, 'note', null, 'ticket', null)
        from run where tenant_id = ${tenant} and problem_n is not null and n > ${at * each}::bigint and n <= ${(at + 1) * each}::bigint`.execute(
        db,
      );
    });
  }
  console.log(`${store.kind}: ${tenant} is filled; load average ${(loadavg()[0] ?? 0).toFixed(1)}`);
}
