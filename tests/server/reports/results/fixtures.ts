/**
 * A provider whose rows are thrown together by a seed, and the engine of a device that holds the
 * same.
 */
import type { Role } from '#contract/abilities.ts';
import { allHandlers } from '#server/handlers.ts';
import type { JobRow, ProblemRow, RunRow, StatRow } from '#contract/runs/rows.ts';
import {
  ENTITY_GROUPS,
  JOB_TYPES,
  PROBLEM_KINDS,
  PROBLEM_STATES,
  SOURCES,
  STATUSES,
} from '#contract/runs/vocabulary.ts';
import { makeCompany } from '#server/features/users/create-user.ts';
import type { Store } from '#server/platform/db/store.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { toScope } from '#server/platform/sync/scope.ts';
import { loadPages } from '#server/platform/sync/days.ts';
import { makeEngine } from '#workers/columns/engine.ts';
import type { ColumnStore } from '#workers/types.ts';
import { pagesIn } from '#workers/sync/frames.ts';
import { getApp, ask, login, makeFixture, provider, user } from '../../http/fixtures.ts';
import type { Answer, Fixture } from '../../http/fixtures.ts';

export const NOW = Date.parse('2026-04-02T07:30:00Z');
export const DAY = 86_400_000;
export const BERLIN = { timeZone: 'Europe/Berlin', dayBeginsHour: 6 };
export const iso = (at: number): string => new Date(at).toISOString();

/** A small generator: the same numbers for the same seed. */
export function random(seed: number) {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
  const below = (max: number): number => Math.floor(next() * max);
  function of<T>(all: readonly T[]): T {
    const one = all[below(all.length)];
    if (one === undefined) throw new RangeError('dice: nothing to choose from');
    return one;
  }
  return { below, of, chance: (share: number): boolean => next() < share };
}

export type Get = <T>(path: string) => Promise<Answer<T>>;
/** What a report answers; fails where it is refused. */
export const data = async <T>(get: Get, path: string): Promise<T> => {
  const answer = await get<T>(path);
  if (answer.status !== 200) throw new Error(`${path} ${answer.text}`);
  return answer.body.data;
};
export interface Demo {
  readonly store: Store;
  readonly context: AppContext;
  readonly tenant: string;
  readonly host: string;
  readonly ground: Fixture;
  readonly app: ReturnType<typeof getApp>;
  readonly wall: { readonly timeZone: string; readonly dayBeginsHour: number };
  /** Asks as a new user. */
  as(
    name: string,
    roles: readonly Role[],
    companies?: readonly number[] | null,
  ): Promise<Get & { post(path: string, body: unknown): Promise<Answer> }>;
  /** What a device of somebody who sees these companies holds. */
  device(companies: readonly number[] | null): Promise<ColumnStore>;
}

const NAMES = [
  'Files',
  'files',
  'SQL 2',
  'SQL 10',
  'Ärger',
  '=SUM(A1)',
  'mail',
  'Mail-Archiv',
  'vm',
  'Z',
];
const MESSAGES = [
  'Connection refused',
  'no space left on device',
  'Could not read "a", b',
  '=cmd|1',
  'Snapshot\nfailed',
];

export async function anDemo(
  store: Store,
  seed: number,
  wall: Demo['wall'],
  count: { readonly jobs: number; readonly runs: number; readonly days: number },
): Promise<Demo> {
  const fixture = await makeFixture({}, store);
  const { below, of, chance } = random(seed);
  fixture.pass(NOW - fixture.context.clock.now());
  const { tenant, host } = await provider(fixture);
  const app = getApp(fixture.context, allHandlers(fixture.context));
  for (const name of ['Calloway', 'drummond & Pike', 'Boreas'])
    await makeCompany(fixture.context, tenant, name);
  await user(fixture, tenant, { username: 'somebody', name: 'Somebody', roles: ['operator'] });
  const jobs = Array.from({ length: count.jobs }, (_, i): JobRow => ({
    n: i + 1,
    uid: `job-${i + 1}`,
    key: 'k',
    company: 1 + below(3),
    name: of(NAMES),
    source: of([SOURCES[0], SOURCES[2], SOURCES[4]]),
    type: of([JOB_TYPES[0], JOB_TYPES[1], JOB_TYPES[7]]),
    group: of(ENTITY_GROUPS.slice(0, 3)),
    computer: of(['pc-1', 'pc-2', 'SRV.example.net']),
    server: of(['', 'hv1']),
    managed: of([true, false, null]),
    enabled: chance(0.8),
    schedule: null,
    graceSec: null,
    firstSeenAt: 0,
    missedIgnored: chance(0.3) ? { by: 'u', at: 0, until: NOW + DAY } : null,
    disabledIgnored: null,
    problem: null,
  }));
  const causes = [1, 2, 3].map((n) => ({
    n,
    template: `Cause ${n} ‹id›`,
    kind: of(PROBLEM_KINDS),
  }));
  const problems = Array.from({ length: count.jobs }, (_, i): ProblemRow => {
    const job = of(jobs);
    const openedAt = NOW - below(count.days * DAY);
    return {
      n: i + 1,
      job: job.n,
      company: job.company,
      cause: 1 + below(3),
      state: of(PROBLEM_STATES),
      openedAt,
      lastAt: openedAt,
      lastRun: 1,
      runs: 1,
      closedAt: chance(0.4) ? openedAt + 1000 : null,
      closedBy: null,
      review: chance(0.3)
        ? { by: 'nobody', at: openedAt, comment: chance(0.5) ? '=1+1' : null }
        : null,
      snooze: chance(0.3)
        ? { by: 'nobody', at: openedAt, until: NOW + of([-1, 0, 1, DAY]), reason: 'later' }
        : null,
      note: chance(0.3)
        ? { by: 'nobody', at: openedAt, content: of(['call them', 'Known Fault']) }
        : null,
      ticket: chance(0.2) ? '#7' : null,
      exception: chance(0.2) ? { rule: 'r', name: 'Known', at: openedAt } : null,
    };
  });
  const runs = Array.from({ length: count.runs }, (_, i): RunRow => {
    // Most jobs; one never ran.
    const job = of(jobs.slice(1));
    const status = of([...STATUSES, 'Success', 'Success', 'Success'] as const);
    const startedAt = NOW - below(count.days * 24 * 4) * 900_000 + of([0, 0, 1, 999, 86_399_000]);
    const over = status !== 'Running' && status !== 'Missed';
    const mine = problems.filter((one) => one.job === job.n);
    return {
      n: i + 1,
      job: job.n,
      company: job.company,
      key: 'k',
      uid: `run-${i + 1}`,
      status,
      startedAt,
      endedAt: over ? startedAt + 60_000 : null,
      durationSec: over && chance(0.9) ? below(9_000) : null,
      bytes:
        over && chance(0.8) ? of([0, 1, 4_294_967_295, 5_000_000_000_000, below(1_000_000)]) : null,
      bytesProcessed: null,
      files: null,
      filesFailed: null,
      message: chance(0.4) ? of(MESSAGES) : null,
      exitCode: null,
      anomaly: over && chance(0.2) ? [{ measure: 'bytes', value: 1, low: 2, high: 3 }] : [],
      problem: mine.length > 0 && status !== 'Success' && chance(0.8) ? of(mine).n : null,
      hasLog: false,
      detail: {},
    };
  });
  const stats = jobs.map(({ n }): StatRow => {
    const began = runs
      .filter(({ job, status }) => job === n && status !== 'Missed')
      .map(({ startedAt }) => startedAt);
    return {
      n,
      starts: [],
      durations: [10, 10, 10, 10, 10, 10, 10, 10],
      bytes: [],
      files: [],
      lastStart: began.length === 0 ? null : Math.max(...began),
      lastSuccess: null,
      running: null,
      missedFor: null,
      calibrated: {},
    };
  });
  await store.tenant(tenant, async ({ sql }) => {
    const { branding } = await sql
      .selectFrom('provider')
      .select('branding')
      .where('tenant_id', '=', tenant)
      .executeTakeFirstOrThrow();
    await sql
      .updateTable('provider')
      .set({ branding: JSON.stringify({ ...branding, ...wall }) })
      .where('tenant_id', '=', tenant)
      .execute();
    const put = { tenant_id: tenant };
    await sql
      .insertInto('job')
      .values(
        jobs.map((row) => ({
          ...put,
          n: row.n,
          key_id: row.key,
          uid: row.uid,
          company_n: row.company,
          row: JSON.stringify(row),
        })),
      )
      .execute();
    await sql
      .insertInto('stat')
      .values(stats.map((row) => ({ ...put, n: row.n, row: JSON.stringify(row) })))
      .execute();
    await sql
      .insertInto('cause')
      .values(
        causes.map((row) => ({
          ...put,
          n: row.n,
          kind: row.kind,
          template: row.template,
          row: JSON.stringify(row),
        })),
      )
      .execute();
    await sql
      .insertInto('problem')
      .values(
        problems.map((row) => ({
          ...put,
          n: row.n,
          job_n: row.job,
          company_n: row.company,
          cause_n: row.cause,
          last_at: row.lastAt,
          closed_at: row.closedAt,
          row: JSON.stringify(row),
        })),
      )
      .execute();
    for (let first = 0; first < runs.length; first += 1_000) {
      await sql
        .insertInto('run')
        .values(
          runs.slice(first, first + 1_000).map((row) => ({
            ...put,
            n: row.n,
            key_id: row.key,
            uid: row.uid,
            job_n: row.job,
            company_n: row.company,
            started_at: row.startedAt,
            status: row.status,
            problem_n: row.problem,
            seq: 1,
            row: JSON.stringify(row),
          })),
        )
        .execute();
    }
  });
  return {
    store,
    context: fixture.context,
    tenant,
    host,
    wall,
    ground: fixture,
    app,
    async as(name, roles, companies = null) {
      await user(fixture, tenant, { username: name, name, roles, companies });
      const { token } = (await login(app, host, name)).body.data;
      const get: Get = (path) => ask(app, `/api/v1/monitoring/reporting/${path}`, { host, token });
      return Object.assign(get, {
        post: (path: string, body: unknown) =>
          ask(app, `/api/v1/monitoring/reporting/${path}`, { method: 'POST', host, token, body }),
      });
    },
    device: (companies) =>
      store.tenant(
        tenant,
        async (tx) => {
          const engine = makeEngine();
          const scope = toScope({ userId: 'u', roles: [], companies });
          const seen = ({ company }: { readonly company: number }): boolean =>
            companies === null || companies.includes(company);
          engine.zone(wall.timeZone, wall.dayBeginsHour);
          engine.put({
            company: (await tx.all('company')).filter(({ n }) => seen({ company: n })),
            job: jobs.filter(seen),
            cause: causes,
            problem: problems.filter(seen),
          });
          for (let at = NOW - (count.days + 2) * DAY; at < NOW + 2 * DAY; at += DAY) {
            for (const page of pagesIn(
              (await loadPages(tx, scope, new Date(at).toISOString().slice(0, 10))).buffer,
            ))
              engine.addSegment(page);
          }
          return engine;
        },
        { readOnly: true },
      ),
  };
}
