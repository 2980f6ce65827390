import { expect, test } from 'vitest';
import type { OutputOf } from '#contract/calls.ts';
import { listPastObjective } from '#server/features/backup/dashboard-queries.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import { anyDatabase } from '../db/databases.ts';
import type { Asker } from '../sync/fixtures.ts';
import { aSuite, type Made, makeAll } from './fixtures.ts';
import { addObject, pointId } from './objects.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const get = async <T>(who: Asker, path: string): Promise<T> =>
  (await who<T>('GET', `o365/dashboard/${path}`)).body.data;

const sessionId = (n: number): string => `00000000-0000-4000-d000-${String(n).padStart(12, '0')}`;

async function addSession(
  { sql, tenant }: TenantTx,
  { organization, repository, job }: Made,
  session: {
    readonly n: number;
    readonly result: 'success' | 'warning' | 'failed' | null;
    readonly reason: 'schedule' | 'retry';
    readonly startedAt: number;
    readonly objects: readonly number[];
    readonly failed?: readonly number[];
    readonly waiting?: { readonly until: number; readonly reason: string };
  },
): Promise<void> {
  const { n, result, reason, startedAt, objects, failed = [], waiting } = session;
  await sql
    .insertInto('backup_session')
    .values({
      tenant_id: tenant,
      id: sessionId(n),
      job_id: job,
      organization_id: organization,
      repository_id: repository,
      state: result === null ? 'running' : 'done',
      result,
      reason,
      message: null,
      started_at: startedAt,
      ended_at: result === null ? null : startedAt + HOUR,
    })
    .execute();
  for (const object of [...objects, ...failed])
    await sql
      .insertInto('backup_work')
      .values({
        tenant_id: tenant,
        session_id: sessionId(n),
        object_n: object,
        state: failed.includes(object) ? 'failed' : waiting ? 'waiting' : 'success',
        message: null,
        waiting: waiting ? JSON.stringify(waiting) : null,
      })
      .execute();
}

anyDatabase((kind, open) => {
  test(`SUITE-22, SUITE-23: the sections of the dashboard count what the user sees (${kind})`, async () => {
    const { office, ground: fixture } = await aSuite(await open());
    const { store, clock } = fixture.context;
    const admin = await office.as('admin', ['o365_admin']);
    const second = await office.as('second', ['o365_admin'], [2]);
    const made = await makeAll(admin, 1, 'Calloway');
    const now = clock.now();
    const old = now - 60 * DAY;
    await store.tenant(office.tenant, async (tx) => {
      await addObject(tx, made, {
        n: 1,
        kind: 'mailbox',
        user: 'ann',
        bytes: 500,
        points: [old, now - 5 * HOUR],
      });
      await addObject(tx, made, { n: 2, kind: 'drive', user: 'ann', bytes: 300, points: [old] });
      await addObject(tx, made, {
        n: 3,
        kind: 'mailbox',
        user: 'ben',
        bytes: 900,
        points: [now - 3 * DAY],
      });
      await addObject(tx, made, { n: 4, kind: 'mailbox', user: 'cleo', bytes: 1, points: [old] });
      await addObject(tx, made, { n: 5, kind: 'site', user: 'hub', bytes: 9_999, points: [now] });
      // A mailbox that was never read, and a user without one.
      await addObject(tx, made, { n: 6, kind: 'mailbox', user: 'dora', bytes: 0, points: [] });
      await addObject(tx, made, { n: 7, kind: 'mailbox', user: 'emil', bytes: 0, points: [] });
      for (const [user, deletedAt] of [
        ['ann', null],
        ['ben', null],
        ['dora', null],
        ['cleo', now - DAY],
      ] as const)
        await tx.sql
          .insertInto('directory_object')
          .values({
            tenant_id: tx.tenant,
            organization_id: made.organization,
            kind: 'user',
            id: user,
            name: user,
            address: '',
            parent_id: null,
            deleted_at: deletedAt,
          })
          .execute();
      const session = { reason: 'schedule', objects: [] } as const;
      await addSession(tx, made, {
        ...session,
        n: 1,
        result: 'failed',
        startedAt: now - 30 * HOUR,
      });
      // The job's schedule is daily: ben's mailbox and ann's drive are older than two days.
      await addSession(tx, made, {
        ...session,
        n: 2,
        result: 'warning',
        startedAt: now - 6 * HOUR,
        objects: [1, 2, 3, 7],
        failed: [6],
      });
      await addSession(tx, made, {
        n: 3,
        reason: 'retry',
        result: 'success',
        startedAt: now - 4 * HOUR,
        objects: [1],
      });
      await addSession(tx, made, {
        ...session,
        n: 4,
        result: null,
        startedAt: now - HOUR,
        objects: [1, 2],
        waiting: { until: now + HOUR, reason: 'Too many requests' },
      });
      for (const [n, at] of [
        [1, old],
        [2, now - 3 * DAY],
      ] as const)
        await tx.sql
          .insertInto('restore_point')
          .values({
            tenant_id: tx.tenant,
            id: pointId(n),
            organization_id: made.organization,
            repository_id: made.repository,
            job_id: made.job,
            session_id: sessionId(n),
            at,
            snapshot: 'x',
            complete: true,
            result: 'success',
          })
          .execute();
    });
    const of = { organizationId: made.organization, organizationName: 'Calloway' };
    const about = { ...of, jobId: made.job, jobName: 'Calloway mail' };
    expect(await get<OutputOf<'getBackupStatus'>>(admin, 'backup-status')).toEqual({
      sessions: { running: 1, success: 1, warning: 1, failed: 0, cancelled: 0 },
      pastObjective: {
        count: 2,
        rows: [
          { ...about, name: 'ann', lastPointAt: old, objectiveMs: 2 * DAY },
          { ...about, name: 'ben', lastPointAt: now - 3 * DAY, objectiveMs: 2 * DAY },
        ],
      },
      waiting: [{ ...about, objects: 2, until: now + HOUR, reason: 'Too many requests' }],
    });
    // Without a restore point, the creation of the job counts.
    const later = await store.tenant(office.tenant, (tx) =>
      listPastObjective(
        tx,
        [{ jobId: made.job, createdAt: now - 10 * DAY, objectiveMs: 2 * DAY }],
        now,
      ),
    );
    expect(later.rows.map(({ name, lastPointAt }) => [name, lastPointAt])).toEqual([
      ['dora', null],
      ['ann', old],
      ['ben', now - 3 * DAY],
    ]);
    expect(await get(admin, 'users')).toEqual({
      protected: 2,
      left: 1,
      inDirectory: 3,
      unprotected: 1,
    });
    const { days } = await get<OutputOf<'getLicenseActivity'>>(admin, 'license-activity');
    expect(days).toHaveLength(30);
    expect(days.filter(({ added }) => added > 0)).toEqual([
      { day: new Date(now - 3 * DAY).toISOString().slice(0, 10), added: 1 },
    ]);
    expect(await get(admin, 'licenses')).toEqual({
      used: 2,
      organizations: [{ ...of, used: 2 }],
    });
    expect(await get(admin, 'highest-storage-users')).toEqual({
      rows: [
        { ...of, name: 'ben', bytes: 900 },
        { ...of, name: 'ann', bytes: 800 },
        { ...of, name: 'cleo', bytes: 1 },
      ],
    });
    expect(await get(admin, 'retention')).toEqual({
      policies: [{ retentionPolicy: 'Years5', repositories: 1, points: 2, oldestPointAt: old }],
    });

    // Nothing of a company that the user doesn't see, and nothing of another organization.
    for (const [who, query] of [
      [second, ''],
      [second, `?organizationId=${made.organization}`],
      [admin, '?companyId=2'],
      [admin, `?organizationId=${made.job}`],
    ] as const) {
      expect(await get(who, `backup-status${query}`)).toEqual({
        sessions: { running: 0, success: 0, warning: 0, failed: 0, cancelled: 0 },
        pastObjective: { count: 0, rows: [] },
        waiting: [],
      });
      expect(await get(who, `users${query}`)).toEqual({
        protected: 0,
        left: 0,
        inDirectory: null,
        unprotected: null,
      });
      expect(await get(who, `licenses${query}`)).toEqual({ used: 0, organizations: [] });
      expect(await get(who, `highest-storage-users${query}`)).toEqual({ rows: [] });
      expect(await get(who, `retention${query}`)).toEqual({ policies: [] });
    }
    const operator = await office.as('operator', ['operator']);
    for (const path of ['backup-status', 'users', 'retention'])
      expect((await operator('GET', `o365/dashboard/${path}`)).status).toBe(403);
  });
});
