import { expect, test } from 'vitest';
import { ROLES } from '#contract/abilities.ts';
import type { OutputOf } from '#contract/calls.ts';
import { startJob } from '#server/engine/embedded/sessions/jobs.ts';
import { backupSchedule } from '#server/engine/embedded/sessions/schedule-job.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { anyDatabase } from '../db/databases.ts';
import {
  aShop,
  addUsers,
  DAY,
  findUser,
  getRow,
  HOUR,
  list,
  must,
  settings,
} from './subscription-fixtures.ts';

const START = { level: 'basic', minimumUsers: 0, trialEndsAt: null };

const countSessions = (context: AppContext, tenant: string): Promise<number> =>
  context.store.tenant(
    tenant,
    async ({ sql: db }) =>
      (await db.selectFrom('backup_session').select('id').where('tenant_id', '=', tenant).execute())
        .length,
  );

anyDatabase((kind, open) => {
  test(`BILL-12, BILL-15, BILL-17: a month is counted, changed, acknowledged and exported to the cent (${kind})`, async () => {
    const shop = await aShop(await open());
    const { ground: fixture } = shop;
    // 2026-03-02, so March has 31 days and this one is its second.
    await must(shop.owner, 'POST', 'o365/subscriptions/start/1', START);
    const now = fixture.context.clock.now();
    await addUsers(shop, [
      { user: 'ada', points: [now] },
      { user: 'ben', points: [now + 10 * DAY] },
    ]);
    fixture.pass(31 * DAY);
    await shop.work();
    const owner = await shop.office.as('biller', ['super-admin', 'o365_admin']);
    const march = '?month=3&year=2026';
    // Ada from March 2 to 31, Ben from March 12 to 31: 30 + 20 = 50 days of 31.
    const { usage, subscription } = await getRow(owner, 1, march);
    expect(subscription).toMatchObject({ status: 'active', level: 'basic' });
    expect(usage).toMatchObject({ users: 161, ack: false, month: 3, year: 2026, isOver: true });
    // 1.61 users at 2.50 are 4.025, which rounds up to 4.03.
    expect(usage?.totalMills).toBe(4_030);
    const { _id: usageId = '' } = usage ?? {};
    const path = `o365/subscriptions/billing/${usageId}`;
    expect(await must(owner, 'POST', `${path}/ack`, {})).toMatchObject({
      usage: { ack: true, acknowledged: { name: 'BILLER' } },
    });
    expect((await must<OutputOf<'unackUsage'>>(owner, 'POST', `${path}/unack`, {})).usage.ack).toBe(
      false,
    );
    await must(owner, 'POST', `${path}/ack`, {});
    const changed = await must<OutputOf<'updateUsage'>>(owner, 'PUT', path, {
      users: 200,
      gigabytes: 0,
    });
    expect(changed.usage).toMatchObject({
      users: 161,
      changed: { users: 200, name: 'BILLER' },
      ack: false,
      totalMills: 5_000,
    });
    // The next count doesn't replace what somebody changed.
    fixture.pass(60_000);
    await shop.work();
    expect((await getRow(owner, 1, march)).usage).toMatchObject({ totalMills: 5_000 });
    const file = await owner('POST', 'o365/subscriptions/export', {
      format: 'csv',
      month: 3,
      year: 2026,
    });
    expect(file.text).toContain('Calloway Freight,2026-03,active,basic,1.61,');
    expect(file.text).toMatch(/,2,,2\.5,,5,USD,No,/);
    expect((await list(owner, march)).totals).toEqual([{ currency: 'USD', totalMills: 5_000 }]);
  });

  test(`BILL-14, G44: operations show their effect, do just that, and can be undone (${kind})`, async () => {
    const { owner, ground: fixture } = await aShop(await open());
    await must(owner, 'POST', 'o365/subscriptions/start/1', { ...START, minimumUsers: 10 });
    const again = await owner('POST', 'o365/subscriptions/start/1', START);
    expect([again.status, again.text]).toEqual([
      409,
      expect.stringContaining('already has a subscription'),
    ]);
    const preview = await must<OutputOf<'previewSubscription'>>(
      owner,
      'POST',
      'o365/subscriptions/preview/1',
      { operation: 'change-level', level: 'advanced' },
    );
    expect(preview).toMatchObject({ monthlyBeforeMills: 25_000, monthlyAfterMills: 40_000 });
    // The preview changes nothing.
    expect((await getRow(owner)).subscription?.level).toBe('basic');
    const level = await must<OutputOf<'changeServiceLevel'>>(
      owner,
      'POST',
      'o365/subscriptions/change-level/1',
      { level: 'advanced' },
    );
    expect(level.subscription).toMatchObject({ level: 'advanced', userMills: 4_000 });
    const back = await must<OutputOf<'rollbackSubscription'>>(
      owner,
      'POST',
      'o365/subscriptions/rollback/1',
      {},
    );
    expect(back.subscription).toMatchObject({ level: 'basic', userMills: 2_500, undo: null });
    const nothing = await owner('POST', 'o365/subscriptions/rollback/1', {});
    expect([nothing.status, nothing.text]).toEqual([
      409,
      expect.stringContaining('There is nothing to undo.'),
    ]);
    await must(owner, 'POST', 'o365/subscriptions/update/1', { userMills: 2_000, minimumUsers: 5 });
    expect((await getRow(owner)).subscription).toMatchObject({ userMills: 2_000, minimumUsers: 5 });
    const past = await owner('POST', 'o365/subscriptions/update-trial/1', { trialEndsAt: 1 });
    expect(past.status).toBe(400);
    const trialEndsAt = fixture.context.clock.now() + 10 * DAY;
    await must(owner, 'POST', 'o365/subscriptions/update-trial/1', { trialEndsAt });
    expect((await getRow(owner)).subscription).toMatchObject({ trialEndsAt });
    const cancel = await must<OutputOf<'previewSubscription'>>(
      owner,
      'POST',
      'o365/subscriptions/preview/1',
      { operation: 'cancel' },
    );
    // The paid month ends with March, in UTC.
    expect(cancel).toMatchObject({
      status: 'cancelled',
      monthlyAfterMills: 0,
      effectiveAt: Date.parse('2026-04-01T00:00:00Z'),
      undoableUntil: Date.parse('2026-04-01T00:00:00Z'),
    });
    await must(owner, 'POST', 'o365/subscriptions/cancel/1', {});
    expect((await getRow(owner)).subscription?.status).toBe('cancelled');
    const notNow = await owner('POST', 'o365/subscriptions/change-level/1', { level: 'advanced' });
    expect(notNow.status).toBe(409);
    await must(owner, 'POST', 'o365/subscriptions/rollback/1', {});
    expect((await getRow(owner)).subscription?.status).toBe('active');
    fixture.pass(6 * 60_000);
    const stale = await owner('POST', 'o365/subscriptions/cancel/1', {});
    expect([stale.status, stale.text]).toEqual([403, expect.stringContaining('reauth_required')]);
  });

  test(`BILL-13: not paying stops backups after the grace period, never restores (${kind})`, async () => {
    const shop = await aShop(await open());
    const { owner, ground: fixture, office, made } = shop;
    const { context } = fixture;
    await must(owner, 'POST', 'o365/subscriptions/start/1', START);
    const { _id: id = '' } = (await getRow(owner)).subscription ?? {};
    const now = context.clock.now();
    await context.store.tenant(office.tenant, (tx) =>
      tx.append(
        [
          {
            company: 1,
            entity: 'subscription:x',
            event: {
              type: 'subscription.failed@1',
              data: { id, graceEndsAt: now + 14 * DAY, owedMills: 7_500 },
            },
          },
        ],
        { actor: { kind: 'clock' }, subject: null, commandId: null, at: now },
      ),
    );
    const start = async (): Promise<boolean> =>
      (
        await startJob(
          context,
          { tenant: office.tenant, organization: made.organization, user: null },
          { job: made.job, reason: 'manual' },
        )
      ).ok;
    const schedule = (): Promise<unknown> =>
      backupSchedule(context)({
        tenant: office.tenant,
        payload: null,
        now: context.clock.now(),
        signal: new AbortController().signal,
      });
    expect(await shop.work()).toBe(now + HOUR);
    expect((await getRow(owner)).subscription?.status).toBe('payment_failed');
    fixture.pass(14 * DAY);
    await shop.work();
    expect(await start()).toBe(false);
    await schedule();
    expect(await countSessions(context, office.tenant)).toBe(0);
    const owner2 = await office.as('owner2', ['super-admin', 'o365_admin']);
    expect((await getRow(owner2)).subscription).toMatchObject({
      status: 'disabled',
      owedMills: 7_500,
    });
    const restorer = await office.as('restorer', ['o365_admin']);
    const session = await restorer('POST', 'o365/restore/restoresessions', {
      organizationId: made.organization,
      datetime: context.clock.now(),
      sessionType: 'Vex',
    });
    expect(session.status).toBe(200);
    const forgiven = await must<OutputOf<'writeOffCompanyDebt'>>(
      owner2,
      'POST',
      'o365/subscriptions/forgive-company',
      { companyId: 1 },
    );
    expect(forgiven.subscription).toMatchObject({ status: 'active', owedMills: 0 });
    // The job is long overdue, so it starts at once.
    await schedule();
    expect(await countSessions(context, office.tenant)).toBe(1);
  });

  test(`BILL-13: a cancelled subscription ends with its paid period, and a deleted company comes back with users and subscription (${kind})`, async () => {
    const shop = await aShop(await open());
    const { owner, ground: fixture, office } = shop;
    await must(owner, 'POST', 'o365/subscriptions/start/1', START);
    await must(owner, 'POST', 'o365/subscriptions/start/2', { ...START, minimumUsers: 3 });
    await must(owner, 'POST', 'o365/subscriptions/cancel/1', {});
    const buyer = await office.as('buyer', ['o365_admin'], [2]);
    const deleted = await must<OutputOf<'deleteSubscriber'>>(
      owner,
      'POST',
      'o365/subscriptions/delete-company',
      { companyId: 2 },
    );
    expect(deleted.restorableUntil).toBe(fixture.context.clock.now() + 30 * DAY);
    expect((await list(owner)).rows.map(({ company }) => company)).toEqual([1]);
    expect((await buyer('GET', 'companies')).text).not.toContain('Drummond');
    const gone = await must<OutputOf<'listDeletedCompanies'>>(
      owner,
      'GET',
      'o365/deleted-companies',
    );
    expect(gone.rows.map(({ n, name }) => [n, name])).toEqual([[2, 'Drummond & Pike']]);
    // The name is in use again, in another case.
    const other = await office.as('namesake', ['admin']);
    const { _id: namesake } = await must<{ _id: string }>(other, 'POST', 'companies', {
      name: 'drummond  &  PIKE',
    });
    const taken = await owner('POST', 'o365/deleted-companies/2/restore', {});
    expect([taken.status, taken.text]).toEqual([409, expect.stringContaining('already exists')]);
    await must(other, 'DELETE', `companies/${namesake}`);
    await must(owner, 'POST', 'o365/deleted-companies/2/restore', {});
    expect((await getRow(owner, 2)).subscription).toMatchObject({
      status: 'active',
      minimumUsers: 3,
    });
    // What was cancelled doesn't renew after it was restored.
    await must(owner, 'POST', 'o365/subscriptions/delete-company', { companyId: 1 });
    await must(owner, 'POST', 'o365/deleted-companies/1/restore', {});
    expect((await getRow(owner, 1)).subscription?.status).toBe('cancelled');
    const admin = await office.as('buyer2', ['o365_admin'], [2]);
    expect((await admin('GET', 'o365/organizations')).status).toBe(200);
    const scoped = await fixture.context.store.tenant(office.tenant, async (tx) =>
      (await tx.all('user')).filter(({ companies }) => companies?.includes(2) === true),
    );
    expect(scoped).toHaveLength(2);
    await must(owner, 'POST', 'o365/subscriptions/delete-company', { companyId: 2 });
    fixture.pass(30 * DAY);
    await shop.work();
    const later = await office.as('later', ['super-admin', 'o365_admin']);
    const late = await later('POST', 'o365/deleted-companies/2/restore', {});
    expect([late.status, late.text]).toEqual([409, expect.stringContaining('30 days ago')]);
    expect((await getRow(later, 1)).subscription?.status).toBe('ended');
  });

  test(`BILL-9, BILL-14, BILL-17, T1: roles and companies decide what users see and change (${kind})`, async () => {
    const { owner, office } = await aShop(await open());
    await must(owner, 'POST', 'o365/subscriptions/start/1', START);
    await must(owner, 'POST', 'o365/subscriptions/start/2', START);
    // From section 6 of the specification: only super-admins see subscriptions.
    for (const role of ROLES) {
      const who = await office.as(`role-${role}`, [role]);
      const answer = await who('GET', 'o365/subscriptions');
      expect([role, answer.status]).toEqual([role, role === 'super-admin' ? 200 : 403]);
    }
    const buyer = await office.as('buyer', ['o365_admin'], [1]);
    const me = (await buyer<{ _id: string }[]>('GET', 'o365/subscriptions')).status;
    expect(me).toBe(403);
    const change = (path: string, body: object = {}): Promise<number> =>
      buyer('POST', `o365/subscriptions/${path}`, body).then(({ status }) => status);
    expect([
      await change('change-level/1', { level: 'advanced' }),
      await change('rollback/1'),
      await change('change-level/2', { level: 'advanced' }),
      await change('cancel/2'),
      await change('change-level/1', { level: 'ACH' }),
      await change('change-level/1', { level: 'businessCritical' }),
      await change('update/1', { userMills: 1, minimumUsers: 0 }),
      await change('update-trial/1', { trialEndsAt: null }),
      await change('forgive-company', { companyId: 1 }),
      await change('delete-company', { companyId: 1 }),
      await change('preview/1', { operation: 'update', userMills: 1 }),
    ]).toEqual([200, 200, 404, 404, 400, 400, 403, 403, 403, 403, 403]);
    const levels = async (who: typeof buyer): Promise<readonly string[]> =>
      (await must<OutputOf<'listServiceLevels'>>(who, 'GET', 'o365/service-levels')).levels.map(
        ({ level }) => level,
      );
    expect(await levels(buyer)).toEqual(['free', 'basic', 'advanced']);
    expect(await levels(owner)).toEqual(['free', 'basic', 'advanced', 'licenseStorage', 'ACH']);
    const reader = await office.as('reader', ['read-only'], [1]);
    expect((await reader('POST', 'o365/subscriptions/cancel/1', {})).status).toBe(403);
  });

  test(`BILL-14: a subscriber undoes what a subscriber did, and nothing that the provider agreed (${kind})`, async () => {
    const { owner, office, ground: fixture } = await aShop(await open());
    await must(owner, 'POST', 'o365/subscriptions/start/1', START);
    const buyer = await office.as('buyer', ['o365_admin'], [1]);
    const colleague = await office.as('colleague', ['o365_admin'], [1]);
    const undo = async (): Promise<number> =>
      (await buyer('POST', 'o365/subscriptions/rollback/1', {})).status;
    const shown = async (): Promise<string | null> => {
      const userId = await findUser({ office, ground: fixture }, 'buyer');
      const { rows } = await must<OutputOf<'getSubscription'>>(
        buyer,
        'GET',
        `o365/subscriptions/${userId}`,
      );
      return rows[0]?.subscription?.undo?.operation ?? null;
    };
    const trialEndsAt = fixture.context.clock.now() + 10 * DAY;
    const agreed: readonly (readonly [string, object])[] = [
      ['update', { userMills: 9_000, minimumUsers: 20 }],
      ['update-trial', { trialEndsAt }],
      ['change-level', { level: 'advanced' }],
      ['cancel', {}],
    ];
    for (const [operation, input] of agreed) {
      await must(owner, 'POST', `o365/subscriptions/${operation}/1`, input);
      const before = (await getRow(owner)).subscription;
      expect([operation, await undo(), await shown()]).toEqual([operation, 409, null]);
      expect((await getRow(owner)).subscription).toEqual(before);
      // The provider sees what it can undo.
      expect(before?.undo?.operation).toBe(operation);
    }
    await must(owner, 'POST', 'o365/subscriptions/rollback/1', {});
    for (const who of [buyer, colleague]) {
      await must(who, 'POST', 'o365/subscriptions/change-level/1', { level: 'basic' });
      expect(await shown()).toBe('change-level');
      expect(await undo()).toBe(200);
      await must(who, 'POST', 'o365/subscriptions/cancel/1', {});
      expect(await undo()).toBe(200);
    }
  });

  test(`BILL-13, BILL-17: the months of a deleted company stay in the list, the totals and the file (${kind})`, async () => {
    const shop = await aShop(await open());
    const { owner, ground: fixture, office } = shop;
    await must(owner, 'POST', 'o365/subscriptions/start/1', { ...START, minimumUsers: 10 });
    fixture.pass(31 * DAY);
    await shop.work();
    const biller = await office.as('biller', ['super-admin', 'o365_admin']);
    const march = '?month=3&year=2026';
    const before = await list(biller, march);
    // 10 users on 30 of 31 days are 9.68, at 2.50.
    expect(before.totals).toEqual([{ currency: 'USD', totalMills: 24_200 }]);
    await must(biller, 'POST', 'o365/subscriptions/delete-company', { companyId: 1 });
    const after = await list(biller, march);
    expect(after.totals).toEqual(before.totals);
    expect(after.rows[0]).toMatchObject({ isDeleted: true, usage: before.rows[0]?.usage });
    const { _id: usage = '' } = after.rows[0]?.usage ?? {};
    await must(biller, 'POST', `o365/subscriptions/billing/${usage}/ack`, {});
    const file = await biller('POST', 'o365/subscriptions/export', { month: 3, year: 2026 });
    expect(file.text).toContain('Calloway Freight,2026-03,active,basic,');
    const all = await must<OutputOf<'listAllSubscriptions'>>(
      biller,
      'GET',
      `admin/subscriptions${march}`,
    );
    expect(all.totals).toMatchObject([{ totalMills: 24_200 }]);
    // A month without its usage doesn't name it, and nobody else sees it.
    expect((await list(biller, '?month=2&year=2026')).rows).toEqual([]);
    expect(after.without.map(({ companyName }) => companyName)).not.toContain('Calloway Freight');
    const other = await office.as('other', ['super-admin'], [2]);
    expect((await list(other, march)).rows).toEqual([]);
    expect((await other('POST', `o365/subscriptions/billing/${usage}/unack`, {})).status).toBe(404);
  });

  test(`BILL-14: a preview goes by the last month that is over, or by a month like today (${kind})`, async () => {
    const shop = await aShop(await open());
    const { owner, ground: fixture, office } = shop;
    await must(owner, 'POST', 'o365/subscriptions/start/1', START);
    const now = fixture.context.clock.now();
    const points = [0, 20, 40, 60].map((count) => now + count * DAY);
    await addUsers(shop, [
      { user: 'ada', points },
      { user: 'ben', points },
    ]);
    const look = async (name: string) => {
      await shop.work();
      const who = await office.as(name, ['super-admin', 'o365_admin']);
      return must<OutputOf<'previewSubscription'>>(who, 'POST', 'o365/subscriptions/preview/1', {
        operation: 'change-level',
        level: 'advanced',
      });
    };
    const two = { monthlyBeforeMills: 5_000, monthlyAfterMills: 8_000 };
    // April 2: March began before the subscription did.
    fixture.pass(31 * DAY);
    expect(await look('april')).toMatchObject({ ...two, usageMonth: null });
    // May 2: April is over and whole.
    fixture.pass(30 * DAY);
    expect(await look('may')).toMatchObject({ ...two, usageMonth: { month: 4, year: 2026 } });
  });

  test(`BILL-18: only an address that the server may request is stored (${kind})`, async () => {
    const { owner } = await aShop(await open());
    const store = (url: string) =>
      owner('PUT', 'o365/billing/settings', settings({ solarWinds: { url, username: 'orion' } }));
    for (const url of ['http://vault.example.com:17778', 'https://orion:hidden@vault.example.com'])
      expect(await store(url)).toMatchObject({
        status: 400,
        text: expect.stringContaining('solarWinds.url'),
      });
    expect((await store('https://vault.example.com:17778')).status).toBe(200);
  });
});
