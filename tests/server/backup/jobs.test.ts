import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { byClock } from '#server/platform/db/store.ts';
import { anyDatabase } from '../db/databases.ts';
import { aSuite, job, makeAll, POLICY, storeDirectoryItems } from './fixtures.ts';

interface Job {
  readonly _id: string;
  readonly isEnabled: boolean;
  readonly nextRun: number | null;
  readonly name: string;
}
interface Rows {
  readonly rows: readonly Job[];
  readonly count: number;
}
const names = ({ rows }: Rows): string[] => rows.map(({ name }) => name);

/** What a job can back up of an item, as the wizard sends it. */
const FLAGS = [
  'mailbox',
  'archiveMailbox',
  'oneDrive',
  'sites',
  'personalSite',
  'subsites',
  'teams',
  'teamsChats',
  'members',
] as const;
const makeItems = (type: string, id: (n: number) => string): { readonly id: string }[] =>
  Array.from({ length: 10_000 }, (_, n) => ({
    type,
    id: id(n),
    ...Object.fromEntries(FLAGS.map((flag) => [flag, flag === 'mailbox' || flag === 'sites'])),
  }));
const sorted = (list: readonly object[]): string[] =>
  list.map((one) => JSON.stringify(one, ['type', 'id', ...FLAGS])).toSorted();

const chained = (chainedAfter: string): object => ({
  schedulePolicy: { ...POLICY, schedule: { type: 'Chained', chainedAfter } },
});
const key = (device: string, order: number): Record<string, string> => ({
  'idempotency-key': randomUUID(),
  'daybook-device': device,
  'daybook-order': String(order),
});

anyDatabase((kind, open) => {
  test(`SUITE-5: a job is created, listed, changed, disabled, enabled and deleted (${kind})`, async () => {
    const suite = await aSuite(await open());
    const { office, recording, ground: fixture } = suite;
    const admin = await office.as('admin', ['o365_admin']);
    const { organization, repository: vault, job: first } = await makeAll(admin, 1, 'Calloway');
    await storeDirectoryItems(suite, organization, { user: ['ann', 'bob'], site: ['intranet'] });
    const selected = job(organization, vault, {
      name: 'Two people',
      backupType: 'selecteditems',
      selectedItems: [
        { type: 'User', id: 'ann' },
        { type: 'User', id: 'bob', oneDrive: false },
      ],
      excludedItems: [{ type: 'Site', id: 'intranet' }],
      fileVersions: 10,
      runNow: true,
    });
    recording.calls.length = 0;
    const made = await admin<{ id: string }>('POST', 'o365/jobs', selected);
    const { id } = made.body.data;
    expect(recording.calls).toMatchObject([
      { name: 'start', organization, input: { job: id, reason: 'manual' } },
    ]);
    expect((await admin('GET', `o365/jobs/${id}`)).body.data).toMatchObject({
      organizationId: organization,
      organizationName: 'Calloway',
      repositoryId: vault,
      repositoryName: 'Calloway vault',
      backupType: 'SelectedItems',
      selectedItems: [
        { type: 'User', id: 'ann', sites: false, personalSite: true, oneDrive: true },
        { type: 'User', id: 'bob', oneDrive: false },
      ],
      excludedItems: [{ type: 'Site', id: 'intranet' }],
      fileVersions: 10,
      isEnabled: true,
      lastStatus: null,
      lastRun: null,
      // 22:00 in the provider's zone, which is UTC, on the day of the fixture's clock.
      nextRun: Date.parse('2026-03-02T22:00:00Z'),
    });
    const list = async (query = ''): Promise<string[]> =>
      names((await admin<Rows>('GET', `o365/jobs${query}`)).body.data);
    expect(await list()).toEqual(['Calloway mail', 'Two people']);
    expect(await list('?search=PEOPLE')).toEqual(['Two people']);
    expect(await list('?limit=1&cursor=1')).toEqual(['Two people']);
    expect(
      (await admin('POST', `o365/jobs/${first}/disable`, { organizationId: organization })).body,
    ).toMatchObject({
      success: true,
      data: { success: true },
    });
    expect(await list('?scheduleState=Disabled')).toEqual(['Calloway mail']);
    const own = async (query: string): Promise<string[]> =>
      names(
        (await admin<Rows>('GET', `o365/organizations/${organization}/jobs${query}`)).body.data,
      );
    expect([
      await own('?scheduleState=Disabled'),
      await own('?scheduleState=Enabled'),
      await own('?search=MAIL&scheduleState=Disabled'),
      await own('?search=people'),
      await own('?limit=1&cursor=1'),
    ]).toEqual([
      ['Calloway mail'],
      ['Two people'],
      ['Calloway mail'],
      ['Two people'],
      ['Two people'],
    ]);
    expect((await admin<Job>('GET', `o365/jobs/${first}`)).body.data.nextRun).toBeNull();
    expect((await admin('POST', `o365/jobs/${first}/enable`, {})).status).toBe(200);
    expect((await admin('POST', `o365/jobs/${first}/enable`, {})).status).toBe(200);
    expect(await list('?scheduleState=Disabled')).toEqual([]);
    const { organizationId: _of, ...fields } = selected as Record<string, unknown>;
    expect(
      (
        await admin('PUT', `o365/jobs/${id}`, {
          ...fields,
          name: 'One person',
          fileVersions: 'all',
          runNow: false,
        })
      ).status,
    ).toBe(200);
    expect((await admin('GET', `o365/jobs/${id}`)).body.data).toMatchObject({
      fileVersions: 'all',
    });
    expect((await admin('GET', `o365/jobs/${first}`)).body.data).toMatchObject({
      fileVersions: 'none',
    });
    expect(
      names((await admin<Rows>('GET', `o365/organizations/${organization}/jobs`)).body.data),
    ).toEqual(['Calloway mail', 'One person']);
    expect(
      names(
        (
          await admin<Rows>('POST', 'o365/organizations/all-jobs', {
            organizationsIds: [organization],
          })
        ).body.data,
      ),
    ).toEqual(['Calloway mail', 'One person']);
    expect((await admin('DELETE', `o365/jobs/${id}`)).status).toBe(200);
    expect((await admin('GET', `o365/jobs/${id}`)).status).toBe(404);
    const types = await fixture.context.store.tenant(office.tenant, async (tx) =>
      (await tx.eventsAfter(0, 1_000)).map(({ event }) => event.type),
    );
    expect(types.filter((type) => type.startsWith('backupjob.'))).toEqual([
      'backupjob.created@1',
      'backupjob.created@1',
      'backupjob.disabled@1',
      'backupjob.enabled@1',
      'backupjob.updated@1',
      'backupjob.notificationsUpdated@1',
      'backupjob.deleted@1',
    ]);
  });

  test(`WIZ-12, SUITE-5: a job names 10,000 users and excludes 10,000 sites with all their flags, as the wizard sends them, and is changed (${kind})`, async () => {
    const suite = await aSuite(await open());
    const admin = await suite.office.as('admin', ['o365_admin']);
    const { organization, repository: vault } = await makeAll(admin, 1, 'Calloway');
    const users = makeItems('User', (n) => `${n}`.padStart(8, '0') + randomUUID().slice(8));
    // The id of a site: its host and two ids.
    const sites = makeItems(
      'Site',
      () => `calloway.sharepoint.example,${randomUUID()},${randomUUID()}`,
    );
    await storeDirectoryItems(suite, organization, {
      user: users.map(({ id }) => id),
      site: sites.map(({ id }) => id),
    });
    const made = await admin<{ id: string }>(
      'POST',
      'o365/jobs',
      job(organization, vault, {
        name: 'Many',
        backupType: 'SelectedItems',
        selectedItems: users,
        excludedItems: sites,
      }),
    );
    expect(made.status).toBe(200);
    const path = `o365/jobs/${made.body.data.id}`;
    interface Stored {
      readonly selectedItems: object[];
      readonly excludedItems: object[];
      readonly version: string;
    }
    const stored = (await admin<Stored>('GET', path)).body.data;
    expect(sorted(stored.selectedItems)).toEqual(sorted(users));
    expect(sorted(stored.excludedItems)).toEqual(sorted(sites));
    const change = {
      ...job(organization, vault, {
        name: 'Many',
        backupType: 'SelectedItems',
        selectedItems: users.slice(1),
        excludedItems: sites,
        version: stored.version,
      }),
      organizationId: undefined,
    };
    expect((await admin('PUT', path, change)).status).toBe(200);
    const changed = (await admin<Stored>('GET', path)).body.data;
    expect(sorted(changed.selectedItems)).toEqual(sorted(users.slice(1)));
    const more = { ...change, selectedItems: [...users, { type: 'User', id: 'one-more' }] };
    expect((await admin('PUT', path, more)).status).toBe(400);
  });

  test(`SUITE-5, PLAN-4: a job that can't work is refused at its field (${kind})`, async () => {
    const { office, recording } = await aSuite(await open());
    const admin = await office.as('admin', ['o365_admin']);
    const mine = await makeAll(admin, 1, 'Calloway');
    recording.directory = randomUUID();
    const other = await makeAll(admin, 2, 'Drummond');
    const wrong: readonly (readonly [string, object])[] = [
      ['selectedItems', { backupType: 'SelectedItems' }],
      [
        'schedulePolicy.backupWindow',
        { schedulePolicy: { ...POLICY, backupWindow: '0'.repeat(168) } },
      ],
      ['fileVersions', { fileVersions: 501 }],
      ['repositoryId', { repositoryId: randomUUID() }],
      ['repositoryId', { repositoryId: other.repository }],
      ['proxyId', { proxyId: randomUUID() }],
      ['schedulePolicy.schedule.chainedAfter', chained(randomUUID())],
      ['schedulePolicy.schedule.chainedAfter', chained(other.job)],
      [
        'notification.userIds.0',
        {
          notification: {
            enabled: true,
            notifyOnFailure: true,
            userIds: [randomUUID()],
            externalAddresses: [],
          },
        },
      ],
    ];
    for (const [path, change] of wrong) {
      const { status, body } = await admin(
        'POST',
        'o365/jobs',
        job(mine.organization, mine.repository, { name: 'New', ...change }),
      );
      expect([path, status, body.error.issues?.map((issue) => issue.path)]).toEqual([
        path,
        400,
        [path],
      ]);
    }
    const { organizationId: _of, ...own } = job(mine.organization, mine.repository, {
      name: 'Calloway mail',
      ...chained(mine.job),
    }) as Record<string, unknown>;
    const cycle = await admin('PUT', `o365/jobs/${mine.job}`, own);
    expect([cycle.status, cycle.body.error.issues?.[0]?.path]).toEqual([
      400,
      'schedulePolicy.schedule.chainedAfter',
    ]);
    const taken = await admin(
      'POST',
      'o365/jobs',
      job(mine.organization, mine.repository, { name: 'calloway MAIL' }),
    );
    expect(taken.status).toBe(409);
  });

  test(`PLAN-4, PLAN-5, SUITE-5: a job that others start after isn't deleted, and one whose chain can't start says why (${kind})`, async () => {
    const { office, recording, ground: fixture } = await aSuite(await open());
    const admin = await office.as('admin', ['o365_admin']);
    const { organization, repository: vault, job: first } = await makeAll(admin, 1, 'Calloway');
    const add = async (name: string, before: string): Promise<string> =>
      (
        await admin<{ id: string }>(
          'POST',
          'o365/jobs',
          job(organization, vault, { name, ...chained(before) }),
        )
      ).body.data.id;
    const second = await add('Second', first);
    const third = await add('Third', second);
    await add('Other', first);
    await admin('POST', `o365/jobs/${first}/start`, {});
    recording.calls.length = 0;
    const refused = await admin('DELETE', `o365/jobs/${first}`);
    expect([refused.status, refused.body.message]).toEqual([
      409,
      'These jobs start after this one: Other, Second. Give them another schedule or delete them first.',
    ]);
    // Nothing was stopped for it.
    expect(recording.calls).toEqual([]);
    expect((await admin('GET', `o365/jobs/${first}`)).status).toBe(200);

    interface Obstructed {
      readonly nextRun: number | null;
      readonly obstacle: { readonly kind: string; readonly jobName: string | null } | null;
    }
    const obstacle = async (id: string) =>
      (await admin<Obstructed>('GET', `o365/jobs/${id}`)).body.data.obstacle;
    expect([await obstacle(first), await obstacle(second), await obstacle(third)]).toEqual([
      null,
      null,
      null,
    ]);
    await admin('POST', `o365/jobs/${first}/disable`, {});
    const disabled = { kind: 'job-disabled', jobName: 'Calloway mail' };
    expect([await obstacle(first), await obstacle(second), await obstacle(third)]).toEqual([
      null,
      disabled,
      disabled,
    ]);
    // A former version deleted jobs that others started after.
    await fixture.context.store.tenant(office.tenant, async (tx) => {
      await tx.append(
        [
          {
            company: 1,
            entity: `backupjob:${first}`,
            event: { type: 'backupjob.deleted@1', data: { id: first } },
          },
        ],
        byClock(fixture.context.clock.now()),
      );
    });
    const deleted = { kind: 'job-deleted', jobName: 'Calloway mail' };
    expect([await obstacle(second), await obstacle(third)]).toEqual([deleted, deleted]);
    expect((await admin('DELETE', `o365/jobs/${second}`)).status).toBe(409);
    for (const id of [third, second])
      expect((await admin('DELETE', `o365/jobs/${id}`)).status).toBe(200);
  });

  test(`OUT-6, G9: of two commands to enable and disable, the later one wins, and each runs once (${kind})`, async () => {
    const { office, ground: fixture } = await aSuite(await open());
    const admin = await office.as('admin', ['o365_admin']);
    const { job: id } = await makeAll(admin, 1, 'Calloway');
    const [phone, laptop] = [randomUUID(), randomUUID()];
    const disable = key(phone, 1);
    const send = (what: string, headers: Record<string, string>) =>
      admin('POST', `o365/jobs/${id}/${what}`, {}, headers);
    await send('disable', disable);
    await send('enable', key(laptop, 1));
    // The phone repeats what it has sent already: nothing changes.
    expect((await send('disable', disable)).status).toBe(200);
    expect((await admin<Job>('GET', `o365/jobs/${id}`)).body.data.isEnabled).toBe(true);
    await Promise.all([send('disable', key(phone, 2)), send('disable', key(laptop, 2))]);
    expect((await admin<Job>('GET', `o365/jobs/${id}`)).body.data.isEnabled).toBe(false);
    const types = await fixture.context.store.tenant(office.tenant, async (tx) =>
      (await tx.eventsAfter(0, 1_000)).map(({ event }) => event.type),
    );
    expect(types.filter((type) => type.endsWith('abled@1'))).toEqual([
      'backupjob.disabled@1',
      'backupjob.enabled@1',
      'backupjob.disabled@1',
    ]);
  });

  test(`SUITE-5: people start, stop and watch sessions, and a failure of the engine is a failure of the call (${kind})`, async () => {
    const { office, recording } = await aSuite(await open());
    const admin = await office.as('admin', ['o365_admin']);
    const { organization, job: id } = await makeAll(admin, 1, 'Calloway');
    recording.calls.length = 0;
    const headers = {
      'idempotency-key': randomUUID(),
      'daybook-device': randomUUID(),
      'daybook-order': '1',
    };
    const started = await admin(
      'POST',
      `o365/jobs/${id}/start`,
      { organizationId: organization },
      headers,
    );
    expect(started.body.data).toEqual({
      success: true,
      sessionId: '00000000-0000-4000-b000-000000000003',
    });
    const again = await admin(
      'POST',
      `o365/jobs/${id}/start`,
      { organizationId: organization },
      headers,
    );
    expect(again.text).toBe(started.text);
    expect((await admin('POST', `o365/jobs/${id}/stop`, {})).status).toBe(200);
    expect((await admin('GET', `o365/jobs/${id}/detail/latest`)).body.data).toEqual({
      session: null,
      logs: [],
      isLogDeleted: false,
    });
    expect(
      (await admin('GET', `o365/jobs/${id}/detail/${randomUUID()}/logs?limit=5`)).body.data,
    ).toMatchObject({
      rows: [{ n: 1, message: 'The session started.' }],
      isLogDeleted: false,
    });
    expect(recording.calls.map(({ name }) => name)).toEqual([
      'start',
      'stop',
      'listSessions',
      'listLog',
    ]);
    expect(
      (await admin('POST', `o365/jobs/${id}/start`, { organizationId: randomUUID() })).status,
    ).toBe(404);
    recording.failing.set('start', { kind: 'conflict', message: 'A session is running.' });
    const running = await admin('POST', `o365/jobs/${id}/start`, {});
    expect([running.status, running.body.message]).toEqual([409, 'A session is running.']);
  });

  test(`SUITE-6: who is notified of a job is stored, external addresses outside the log (${kind})`, async () => {
    const { office, ground: fixture } = await aSuite(await open());
    const admin = await office.as('admin', ['o365_admin']);
    const { job: id } = await makeAll(admin, 1, 'Calloway');
    const me = (await admin<{ me: { id: string } }>('GET', 'sync/bootstrap')).body.data.me.id;
    const notification = {
      enabled: true,
      notifyOnFailure: true,
      userIds: [me],
      externalAddresses: ['Canary@example.org', 'canary@example.org', 'second@example.org'],
    };
    expect((await admin('POST', `o365/jobs/${id}/notifications`, notification)).status).toBe(200);
    expect((await admin('GET', `o365/jobs/${id}/notifications`)).body.data).toEqual({
      ...notification,
      externalAddresses: ['canary@example.org', 'second@example.org'],
      users: [{ _id: me, name: 'ADMIN', username: 'admin' }],
    });
    const log = await fixture.context.store.tenant(office.tenant, async (tx) =>
      JSON.stringify([await tx.eventsAfter(0, 1_000), await tx.all('backupJob')]),
    );
    expect(log).toContain('"externalCount":2');
    expect(log.toLowerCase()).not.toContain('canary@example.org');
    expect((await admin('DELETE', `o365/jobs/${id}`)).status).toBe(200);
    const left = await fixture.context.store.tenant(office.tenant, ({ sql, tenant }) =>
      sql
        .selectFrom('backup_job_recipient')
        .select('address')
        .where('tenant_id', '=', tenant)
        .execute(),
    );
    expect(left).toEqual([]);
  });
});
