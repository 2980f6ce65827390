import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import type { BackupSessionId, Ms } from '#contract/ids.ts';
import type { Execution } from '#contract/runs/calls.ts';
import type { Bootstrap } from '#contract/sync/calls.ts';
import { deleteOldLogs, isSessionLogDeleted } from '#server/platform/queries/old-logs.ts';
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

  test(`LOG-14: a session whose log or first lines were deleted says so, and no other one (${name})`, async () => {
    const { context } = fixture;
    const { tenant } = await anOffice(fixture);
    const ended = context.clock.now() - 32 * DAY;
    const find = (session: BackupSessionId, days: number): Promise<boolean> =>
      context.store.tenant(tenant, (tx) =>
        isSessionLogDeleted(
          tx,
          { ...context, config: { ...context.config, deleteLogsAfterDays: days } },
          session,
        ),
      );
    const add = async (endedAt: Ms | null, lines: readonly number[]): Promise<BackupSessionId> => {
      const id = randomUUID() as string as BackupSessionId;
      await context.store.tenant(tenant, async ({ sql: db }) => {
        await sql`
          insert into backup_session (tenant_id, id, job_id, organization_id, repository_id, state, reason, started_at, ended_at)
          values (${tenant}, ${id}, ${randomUUID()}, ${randomUUID()}, ${randomUUID()}, ${endedAt === null ? 'running' : 'done'}, 'manual', ${ended - DAY}, ${endedAt})`.execute(
          db,
        );
        for (const n of lines)
          await sql`insert into backup_log (tenant_id, session_id, n, at, level, message)
            values (${tenant}, ${id}, ${n}, ${ended}, 'info', 'line')`.execute(db);
      });
      return id;
    };
    expect(
      await Promise.all([
        find(await add(ended, [1, 2]), 31),
        find(await add(ended, [2, 3]), 31),
        find(await add(ended, [2, 3]), 0),
        find(await add(ended, []), 31),
        find(await add(ended, []), 0),
        find(await add(ended + 2 * DAY, []), 31),
        find(await add(null, []), 31),
      ]),
    ).toEqual([false, true, true, true, false, false, false]);
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
