import { sql } from 'kysely';
import type { AppContext } from '#server/platform/app-context.ts';
import type { Store } from '#server/platform/db/store.ts';
import type { JobRunner } from '#server/platform/jobs/runner.ts';
import { type Fixture, makeFixture } from '../http/fixtures.ts';

export const MINUTE = 60_000;
export const DAY = 86_400_000;

/** Every provider has these from its creation on. */
export const RECURRING = [
  'backup-runs',
  'backup-schedule',
  'day-totals',
  'directory-accounts',
  'invoices',
  'license-months',
  'log-archive',
  'log-check',
  'missed-runs',
  'notifications',
  'payments',
  'push',
  'reports',
  'sla-alarms',
  'subscriptions',
  'ticket-results',
  'tickets',
  'upkeep',
  'usage-days',
  'webhooks',
];

interface StoredJob {
  readonly tenant_id: string;
  readonly type: string;
  readonly key: string;
  readonly due_at: number | null;
  readonly lease_owner: string | null;
  readonly lease_until: number;
  readonly attempts: number;
  readonly last_error: string | null;
}

export const storedJobs = (store: Store): Promise<readonly StoredJob[]> =>
  store.system(
    async (db) =>
      (await sql<StoredJob>`select * from background_job order by type, tenant_id, key`.execute(db))
        .rows,
  );

export const noJobs = (store: Store): Promise<unknown> =>
  store.system((db) => sql`delete from background_job`.execute(db));

export const putJob = (
  store: Store,
  tenant: string,
  type: string,
  dueAt: number,
  key = '',
): Promise<unknown> =>
  store.system((db) =>
    sql`insert into background_job (tenant_id, type, key, due_at, payload)
      values (${tenant}, ${type}, ${key}, ${dueAt}, ${JSON.stringify(key === '' ? null : { message: key })})`.execute(
      db,
    ),
  );

/** Makes a fixture on a database without jobs. */
export async function withoutJobs(open: () => Promise<Store>): Promise<Fixture> {
  const fixture = await makeFixture({}, await open());
  await noJobs(fixture.context.store);
  return fixture;
}

/** Ends with the work, whether the test succeeds or not. */
export async function whileRunning(
  runner: JobRunner,
  work: () => Promise<void>,
  end: () => void = () => undefined,
): Promise<void> {
  runner.start();
  try {
    await work();
  } finally {
    end();
    await runner.stop();
  }
}

/** A clock of the fixture's time whose timers fire when the test says so, until it is released. */
export function manualClock({ context: { clock } }: Fixture): AppContext['clock'] & {
  fire(): void;
  release(): void;
} {
  const timers = new Set<{ readonly at: number; readonly work: () => void }>();
  let isReleased = false;
  return {
    now: () => clock.now(),
    after(ms, work) {
      if (isReleased) return clock.after(ms, work);
      const timer = { at: clock.now() + ms, work };
      timers.add(timer);
      return { cancel: () => void timers.delete(timer) };
    },
    fire() {
      for (const timer of timers)
        if (timer.at <= clock.now()) {
          timers.delete(timer);
          timer.work();
        }
    },
    release() {
      isReleased = true;
    },
  };
}
