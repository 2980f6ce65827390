import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import type { OutputOf } from '#contract/calls.ts';
import { makeFixture } from '../http/fixtures.ts';
import type { Fixture } from '../http/fixtures.ts';
import { aShop, must } from '../billing/subscription-fixtures.ts';
import { aUser, idIn, thePeople } from '../users/fixtures.ts';
import { anyDatabase } from '../db/databases.ts';
import { failure } from '../sync/fixtures.ts';
import type { Asker } from '../sync/fixtures.ts';

let fixture: Fixture;
type Page = OutputOf<'listAdminEvents'>;
const page = async (who: Asker, query = ''): Promise<Page> =>
  (await who<Page>('GET', `admin/events${query}`)).body.data;
const iso = (at: number): string => new Date(at).toISOString();

anyDatabase((_name, open) => {
  beforeAll(async () => {
    fixture = await makeFixture({}, await open());
  });

  test('ADMIN-1: the overview shows the own provider and those below it: users by role, sessions, results, sources, mail, quarantine', async () => {
    const { root, as, post, tenant } = await thePeople(fixture);
    await as('oper', ['operator', 'read-only']);
    const made = await root<{ _id: string }>('POST', 'service-providers', {
      name: 'Below',
      hosts: [`${tenant}.below.example`],
      administrator: { username: 'c', name: 'C', email: 'c@example.net' },
    });
    await post(1, [failure('files', '2026-03-02T02:00:00Z')]);
    fixture.pass(2 * 3_600_000);
    await post(1, [
      failure('files', '2026-03-02T03:00:00Z'),
      failure('sql', '2026-03-02T03:00:00Z'),
    ]);
    await expect(post(2, [{ job: '', status: 'Broken' }])).rejects.toThrow('rejected');
    const again = await as('again', ['super-admin']);
    await again('POST', 'notifications/publish', { app: 'admin', severity: 'info', message: 'x' });
    const { providers } = (await again<OutputOf<'getAdminOverview'>>('GET', 'admin/overview')).body
      .data;
    expect(providers.map((one) => [idIn(one), one.own])).toEqual([
      [tenant, true],
      [idIn(made.body.data), false],
    ]);
    expect(providers[0]).toMatchObject({
      users: [
        { role: 'admin', users: 2 },
        { role: 'read-only', users: 1 },
        { role: 'operator', users: 1 },
        { role: 'super-admin', users: 2 },
      ],
      active: 4,
      signedIn: 1,
      companies: 2,
      jobs: 2,
      ingest: { hour: 2, day: 3 },
      sync: { sources: 2, failed: [{ entity: 'Key 2' }] },
      outgoing: { waiting: 0, failed: 0 },
      quarantine: 0,
      backup: { queued: 0, running: 0, waiting: 0, damaged: 0 },
      subscriptions: { active: 0, pending: 0, unpaid: 0, stopped: 0 },
    });
    expect(providers[1]).toMatchObject({
      name: 'Below',
      active: 1,
      companies: 0,
      outgoing: { waiting: 1 },
      events: 1,
    });
  });

  test('ADMIN-4: the overview counts the work of the backup engine, damaged data and subscriptions', async () => {
    const { ground: shop, office, owner, made } = await aShop(await open());
    const START = { level: 'basic', minimumUsers: 0, trialEndsAt: null };
    await must(owner, 'POST', 'o365/subscriptions/start/1', START);
    await must(owner, 'POST', 'o365/subscriptions/start/2', START);
    const { tenant } = office;
    await shop.context.store.tenant(tenant, async ({ sql: db }) => {
      for (const [id, endedAt] of [
        ['00000000-0000-4000-8000-000000000001', null],
        ['00000000-0000-4000-8000-000000000002', 1],
      ] as const) {
        await db
          .insertInto('backup_session')
          .values({
            tenant_id: tenant,
            id,
            job_id: id,
            organization_id: made.organization,
            repository_id: made.repository,
            state: endedAt === null ? 'running' : 'done',
            result: null,
            reason: 'manual',
            message: null,
            started_at: 0,
            ended_at: endedAt,
          })
          .execute();
        for (const [index, state] of (
          ['queued', 'queued', 'running', 'waiting'] as const
        ).entries())
          await db
            .insertInto('backup_work')
            .values({
              tenant_id: tenant,
              session_id: id,
              object_n: index,
              state,
              message: null,
              waiting: null,
            })
            .execute();
      }
      await db
        .insertInto('repository_access')
        .values({
          tenant_id: tenant,
          repository_id: made.repository,
          sealed: '',
          at: 0,
          verified_at: null,
          upkeep: JSON.stringify({ damaged: [{ type: 'data', id: 'a' }] }),
        })
        .execute();
    });
    const { providers } = await must<OutputOf<'getAdminOverview'>>(owner, 'GET', 'admin/overview');
    expect(providers).toMatchObject([
      {
        backup: { queued: 2, running: 1, waiting: 1, damaged: 1 },
        subscriptions: { active: 2, pending: 0, unpaid: 0, stopped: 0 },
      },
    ]);
  });

  test('ADMIN-2, LOG-10: the log is listed newest first by type, entity, company, user, time and text, and pages join without a gap', async () => {
    const { root, idOf: loadId, post, tenant } = await thePeople(fixture);
    const began = fixture.context.clock.now();
    fixture.pass(1_000);
    await post(
      1,
      Array.from({ length: 60 }, (_, index) => failure(`job-${index}`, '2026-03-02T02:00:00Z')),
    );
    fixture.pass(1_000);
    await root('POST', 'users', aUser('lena'));
    const first = await page(root);
    expect([first.events.length, first.events[0]?.type, first.events[0]?.actor]).toEqual([
      100,
      'user.created@1',
      'root',
    ]);
    const seqs = first.events.map(({ seq }) => seq);
    for (let { next } = first; next !== null;) {
      const more = await page(root, `?before=${next}`);
      seqs.push(...more.events.map(({ seq }) => seq));
      ({ next } = more);
    }
    expect(seqs).toEqual(
      Array.from({ length: seqs[0] ?? 0 }, (_, index) => (seqs[0] ?? 0) - index),
    );
    expect((await page(root, '?type=job.found')).events).toHaveLength(60);
    expect(
      (await page(root, `?type=user.&actor=${await loadId('root')}`)).events.map(
        ({ type }) => type,
      ),
    ).toEqual(['user.created@1']);
    expect(
      (await page(root, '?text=job-59')).events.every(({ data }) => data.includes('job-59')),
    ).toBe(true);
    expect((await page(root, '?company=2')).events.map(({ company }) => company)).toEqual([
      'Drummond & Pike',
      'Drummond & Pike',
    ]);
    expect((await page(root, '?entity=company:1')).events.map(({ type }) => type)).toEqual([
      'company.created@1',
    ]);
    expect(
      (await page(root, `?from=${encodeURIComponent(iso(began + 2_000))}`)).events.map(
        ({ type }) => type,
      ),
    ).toEqual(['user.created@1']);
    expect((await page(root, `?to=${began + 1_000}&type=job.`)).events).toEqual([]);
    expect((await page(root, '?type=user.&actor=Root')).events.map(({ actor }) => actor)).toEqual([
      'root',
    ]);
    expect((await page(root, '?actor=nobody-of-this-name')).events).toEqual([]);
    expect(
      (await page(root, '?actor=source&type=key.firstResult')).events.map(({ actor }) => actor),
    ).toEqual(['Source Key 1']);
    expect((await page(root, '?text=%25')).events).toEqual([]);
    // an event of the version before is found and shown under its present name
    await fixture.context.store.tenant(tenant, async (tx) => {
      await sql`insert into event (tenant_id, seq, type, at, actor, subject, company, entity, command_id, data)
        select tenant_id, seq + 1, 'job.taught@1', 1, '{"is":"clock"}', null, 1, 'job:1', null, '{"n":1,"measure":"bytes","value":9}' from head where tenant_id = ${tenant}::uuid`.execute(
        tx.sql,
      );
      await sql`update head set seq = seq + 1 where tenant_id = ${tenant}::uuid`.execute(tx.sql);
    });
    for (const query of ['?type=job.calib', '?text=CALIBRATED', '?type=job.taught'])
      expect([query, (await page(root, query)).events]).toMatchObject([
        query,
        [{ type: 'job.calibrated@1', data: '{"n":1,"measure":"bytes","value":9}' }],
      ]);
    expect(first.types).toEqual(expect.arrayContaining(['company.deleted@1', 'run.finished@1']));
    expect(JSON.stringify(first)).not.toContain('lena');
  });

  test('ADMIN-3: the admin area needs its permission and access to the whole provider; the log as a file has no formulas', async () => {
    const { root, as, post } = await thePeople(fixture);
    await post(1, [failure('=cmd()', '2026-03-02T02:00:00Z')]);
    const plain = await as('plain', ['admin', 'operator']);
    const part = await as('part', ['super-admin'], [1]);
    for (const who of [plain, part])
      for (const path of ['admin/overview', 'admin/events', 'admin/events/export'])
        expect([path, (await who('GET', path)).status]).toEqual([path, 403]);
    const file = await root('GET', 'admin/events/export?type=job.');
    expect(file.headers.get('content-disposition')).toMatch(/filename="Events_/);
    expect(file.text.split('\r\n')).toHaveLength(3);
    expect(file.text).not.toMatch(/(^|,)[=+@]/m);
  });
});
