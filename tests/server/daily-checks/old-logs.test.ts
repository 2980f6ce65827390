import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import type { Execution } from '#contract/runs/calls.ts';
import type { Bootstrap } from '#contract/sync/calls.ts';
import { deleteOldLogs } from '#server/platform/queries/old-logs.ts';
import { anyDatabase } from '../db/databases.ts';
import { type Fixture, makeFixture } from '../http/fixtures.ts';
import { anOffice, failure } from '../sync/fixtures.ts';

const DAY = 86_400_000;
let fixture: Fixture;

/** An office whose results are so many days old, with logs of them and of a session as old. */
const begin = async (ages: readonly number[]) => {
  const { context } = fixture;
  const office = await anOffice(fixture);
  const me = await office.as('ines', ['operator']);
  const now = context.clock.now();
  for (const age of ages)
    await office.post(1, [
      failure(`job-${age}`, new Date(now - age * DAY).toISOString(), {
        log: `log of ${age}`,
        tasks: [{ name: 'disk', status: 'Failed' }],
      }),
    ]);
  const session = randomUUID();
  await context.store.tenant(office.tenant, ({ sql }) =>
    sql
      .insertInto('backup_log')
      .values(
        ages.map((age, n) => ({
          tenant_id: office.tenant,
          session_id: session,
          n,
          at: now - age * DAY,
          level: 'info' as const,
          message: `line of ${age}`,
        })),
      )
      .execute(),
  );
  const { jobs, problems } = (await me<Bootstrap>('GET', 'sync/bootstrap?protocol=2')).body.data;
  return {
    tidy: (days: number, pieceRows?: number) =>
      context.store.tenant(office.tenant, (tx) =>
        deleteOldLogs({ config: { ...context.config, deleteLogsAfterDays: days } }, pieceRows)(
          tx,
          now,
        ),
      ),
    lines: async () =>
      context.store.tenant(office.tenant, async ({ sql, tenant }) =>
        (
          await sql
            .selectFrom('backup_log')
            .select('message')
            .where('tenant_id', '=', tenant)
            .orderBy('n')
            .execute()
        ).map(({ message }) => message),
      ),
    show: async (age: number) => {
      const n = jobs.find((job) => job.name === `job-${age}`)?.n;
      const run = problems.find((problem) => problem.job === n)?.lastRun;
      const path = `monitoring/backoffice/jobExecutions/${run}`;
      const { status, log, isLogDeleted, tasks } = (await me<Execution>('GET', path)).body.data;
      return [status, log, isLogDeleted, tasks.length];
    },
  };
};

anyDatabase((name, open) => {
  beforeAll(async () => {
    fixture = await makeFixture({ deleteLogsAfterDays: 31 }, await open());
  });

  test(`LOG-14: logs older than configured are deleted, their results stay and say so, and by default none is deleted (${name})`, async () => {
    const { tidy, lines, show } = await begin([32, 31, 1]);
    await tidy(0);
    expect(await show(32)).toEqual(['Failed', 'log of 32', false, 1]);
    await tidy(31);
    expect(await show(32)).toEqual(['Failed', null, true, 0]);
    expect(await show(31)).toEqual(['Failed', 'log of 31', false, 1]);
    expect(await show(1)).toEqual(['Failed', 'log of 1', false, 1]);
    expect(await lines()).toEqual(['line of 31', 'line of 1']);
  });

  test(`LOG-14: logs are deleted in pieces, the first ones first (${name})`, async () => {
    const { tidy, lines, show } = await begin([50, 40, 35, 2]);
    await tidy(31, 2);
    expect((await Promise.all([50, 40, 35, 2].map(show))).map(([, log]) => log)).toEqual([
      null,
      null,
      'log of 35',
      'log of 2',
    ]);
    expect(await lines()).toEqual(['line of 35', 'line of 2']);
    await tidy(31, 2);
    expect((await show(35))[1]).toBe(null);
    expect((await show(2))[1]).toBe('log of 2');
    expect(await lines()).toEqual(['line of 2']);
  });
});
