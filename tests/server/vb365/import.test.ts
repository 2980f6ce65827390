import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { allJobs } from '#server/jobs.ts';
import type { Store } from '#server/platform/db/store.ts';
import { checkTraffic } from '#tests/fakes/vb365/checked.ts';
import { startSecureVb365, startVb365, type Vb365Server } from '#tests/fakes/vb365/server.ts';
import { addJob, addJobItem, addOrganization, addSession } from '#tests/fakes/vb365/state.ts';
import { USER } from '#tests/fakes/vb365/tokens.ts';
import { organization, repository } from '../backup/fixtures.ts';
import { anyDatabase, anyStore } from '../db/databases.ts';
import { type Fixture, makeFixture } from '../http/fixtures.ts';
import { getTicks, type Ticks } from '../jobs/ticks.ts';
import { HERE, json } from '../outbound/listen.ts';
import { anOffice, type Asker, type Office } from '../sync/fixtures.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

interface Imported {
  readonly rows: readonly { readonly id: string }[];
  readonly left: readonly { readonly name: string; readonly reason: string }[];
}
interface JobOut {
  readonly id: string;
  readonly name: string;
  readonly organizationName: string;
  readonly lastRun: number | null;
  readonly recent: readonly {
    readonly startedAt: number;
    readonly endedAt: number;
    readonly result: string;
    readonly message: string | null;
  }[];
}

/** A provider whose server may ask this machine, and what runs in its background. */
interface Place {
  readonly fixture: Fixture;
  readonly office: Office;
  readonly admin: Asker;
  readonly jobs: Ticks;
}

async function aPlace(store: Store): Promise<Place> {
  const fixture = await makeFixture(HERE, store);
  const office = await anOffice(fixture);
  const alone: Store = { ...store, tenants: () => Promise.resolve([office.tenant]) };
  const handlers = allJobs(fixture.context);
  const jobs = getTicks(
    { ...fixture.context, store: alone },
    {
      'vb365-server': handlers['vb365-server'],
      'backup-schedule': handlers['backup-schedule'],
      'backup-runs': handlers['backup-runs'],
    },
  );
  return { fixture, office, jobs, admin: await office.as('admin', ['o365_admin', 'admin']) };
}

const importFrom = (who: Asker, apiUrl: string, more: object = {}) =>
  who<Imported>('POST', 'o365/organizations/from-api', {
    apiUrl,
    username: USER.name,
    password: USER.secret,
    ...more,
  });

/** Links a company of the office with an organization of Microsoft 365. */
const link = ({ fixture: { context }, office }: Place, n: number, name: string, id: string) =>
  context.store.tenant(office.tenant, (tx) =>
    tx.append(
      [
        {
          event: {
            type: 'company.updated@1',
            data: {
              n,
              name,
              veeamId: null,
              notify: [],
              applications: {
                vac: { id: null },
                vcd: { id: null },
                zerto: { id: null },
                office365: { enabled: true, organizations: [{ id }] },
              },
            },
          },
          company: n,
          entity: `company:${n}`,
        },
      ],
      { actor: { kind: 'clock' }, subject: null, commandId: null, at: context.clock.now() },
    ),
  );

anyDatabase((database, open) => {
  describe.each(['v8', 'v7'] as const)(`%s on ${database}`, (version) => {
    let store: Store;
    let place: Place;
    let server: Vb365Server;
    let problems: readonly string[];
    beforeAll(async () => {
      store = await open();
    });
    beforeEach(async () => {
      place = await aPlace(store);
      server = await startVb365(version, () => place.fixture.context.clock.now());
      problems = checkTraffic(server);
    });
    afterEach(async () => {
      await place.jobs.stop();
      await server.outside.stop();
      if (problems.length > 0) throw new Error(problems.join('\n'));
    });

    const now = (): number => place.fixture.context.clock.now();
    const listJobs = async (): Promise<readonly JobOut[]> =>
      (await place.admin<{ rows: JobOut[] }>('GET', 'o365/jobs')).body.data.rows;
    const results = () =>
      place.fixture.context.store.tenant(place.office.tenant, async (tx) =>
        (await tx.all('run')).toSorted((one, other) => one.startedAt - other.startedAt),
      );
    /** Time passes, and the administrator signs in again. */
    const pass = async (ms: number): Promise<void> => {
      place.fixture.pass(ms);
      place = { ...place, admin: await place.office.as(`admin-${now()}`, ['o365_admin', 'admin']) };
    };

    test('VB365-9: organizations are imported once, each for the linked or the chosen company, the others with their reason', async () => {
      const { content } = server;
      const linked = addOrganization(content, 'Linked');
      addOrganization(content, 'Chosen', { region: 'USDefence' });
      await link(place, 2, 'Drummond & Pike', linked.name.toUpperCase());
      // The company of the second can't be guessed.
      const first = await importFrom(place.admin, server.outside.url);
      expect(first.body.data.rows).toHaveLength(1);
      expect(first.body.data.left.map(({ name }) => name)).toEqual(['Chosen']);
      const second = await importFrom(place.admin, server.outside.url, { companyId: 1 });
      expect(second.body.data.rows).toHaveLength(1);
      expect(second.body.data.left).toEqual([
        { name: 'Linked', reason: 'This organization is imported already.' },
      ]);
      const third = await importFrom(place.admin, server.outside.url, { companyId: 1 });
      expect(third.body.data.rows).toEqual([]);
      const { rows } = (await place.admin<{ rows: unknown[] }>('GET', 'o365/organizations')).body
        .data;
      expect(rows).toMatchObject([
        { name: 'Chosen', companyN: 1, engine: 'vb365', region: 'USGovernmentDoD' },
        { name: 'Linked', companyN: 2, engine: 'vb365', authType: 'modern', certificate: null },
      ]);
      // Another sign-in replaces the former one.
      server.tokens.users.set('BACKUP\\second', 'another secret');
      await importFrom(place.admin, server.outside.url, {
        username: 'BACKUP\\second',
        password: 'another secret',
      });
      const servers = await place.fixture.context.store.tenant(
        place.office.tenant,
        ({ sql, tenant }) =>
          sql
            .selectFrom('vb365_server')
            .select('username')
            .where('tenant_id', '=', tenant)
            .execute(),
      );
      expect(servers).toEqual([{ username: 'BACKUP\\second' }]);
      // A deleted one comes back with the next import.
      const id = first.body.data.rows[0]?.id ?? '';
      expect((await place.admin('DELETE', `o365/organizations/${id}`)).status).toBe(200);
      const again = await importFrom(place.admin, server.outside.url);
      expect(again.body.data.rows).toHaveLength(1);
    });

    test('VB365-9, G72: users of one company import for theirs, and do not learn whose the others are', async () => {
      const linked = addOrganization(server.content, 'Linked');
      addOrganization(server.content, 'Free');
      await link(place, 1, 'Calloway Freight', linked.id);
      const bound = await place.office.as('bound', ['o365_admin'], [2]);
      const other = await importFrom(bound, server.outside.url, { companyId: 1 });
      expect(other.status).toBe(404);
      const { rows, left } = (await importFrom(bound, server.outside.url, { companyId: 2 })).body
        .data;
      expect([rows.length, left]).toEqual([
        1,
        [{ name: 'Linked', reason: "This Microsoft 365 tenant can't be added." }],
      ]);
      const { data } = (
        await bound<{ organizations: object[] }>('POST', 'o365/organizations/from-api/test', {
          apiUrl: server.outside.url,
          username: USER.name,
          password: USER.secret,
        })
      ).body;
      expect(data.organizations).toMatchObject([
        { name: 'Linked', companyN: null },
        { name: 'Free', companyN: null },
      ]);
    });

    test('VB365-9, VB365-4, G62: wrong credentials are refused, and the password is stored sealed and nowhere else', async () => {
      addOrganization(server.content, 'One');
      const wrong = await importFrom(place.admin, server.outside.url, {
        password: 'not the password',
        companyId: 1,
      });
      expect(wrong.status).toBe(409);
      expect((await importFrom(place.admin, server.outside.url, { companyId: 1 })).status).toBe(
        200,
      );
      await place.jobs.tick();
      const seen = await place.fixture.context.store.tenant(place.office.tenant, async (tx) => {
        const stored: unknown[] = [await tx.eventsAfter(0, 1_000)];
        for (const table of ['vb365_server', 'vb365_organization', 'audit', 'command'] as const)
          stored.push(
            await tx.sql.selectFrom(table).selectAll().where('tenant_id', '=', tx.tenant).execute(),
          );
        return JSON.stringify([stored, place.fixture.lines]);
      });
      expect(seen).toContain(JSON.stringify(USER.name).slice(1, -1));
      expect(seen).not.toContain(USER.secret);
      // The password goes with the last organization of its server.
      const { rows } = (await place.admin<{ rows: { id: string }[] }>('GET', 'o365/organizations'))
        .body.data;
      await place.admin('DELETE', `o365/organizations/${rows[0]?.id ?? ''}`);
      const left = await place.fixture.context.store.tenant(
        place.office.tenant,
        ({ sql, tenant }) =>
          sql.selectFrom('vb365_server').select('id').where('tenant_id', '=', tenant).execute(),
      );
      expect(left).toEqual([]);
    });

    test('VB365-11: jobs, repositories and the sessions of the last days are those of the server, and follow it', async () => {
      const { content } = server;
      const one = addOrganization(content, 'One');
      const nightly = addJob(content, one, 'Nightly', { nextRun: now() + HOUR });
      addJobItem(content, nightly, 'excludedItems', {
        type: 'PartialOrganization',
        oneDrive: true,
      });
      addSession(content, nightly, now() - 20 * DAY);
      addSession(content, nightly, now() - 30 * HOUR);
      addSession(content, nightly, now() - 6 * HOUR, { status: 'Failed', details: 'It failed.' });
      const hourly = addJob(content, one, 'Hourly', {
        schedulePolicy: { type: 'Periodically', periodicallyEvery: 'Hours2', retryEnabled: false },
        isEnabled: false,
      });
      await importFrom(place.admin, server.outside.url, { companyId: 1 });
      await place.jobs.tick();
      const cause =
        version === 'v8' ? 'Failed to process mailbox: The request was throttled.' : 'It failed.';
      const [second, first] = await listJobs();
      expect(first).toMatchObject({
        name: 'Nightly',
        organizationName: 'One',
        repositoryName: 'Main',
        isEnabled: true,
        excluded: 1,
        lastStatus: 'Failed',
        lastBackup: now() - 29 * HOUR,
        nextRun: now() - 5 * HOUR + 10 * MINUTE,
        schedulePolicy: { retryNumber: 3, retryWaitInterval: 10, backupWindow: null },
      });
      expect(first?.recent).toMatchObject([
        {
          startedAt: now() - 6 * HOUR,
          endedAt: now() - 5 * HOUR,
          result: 'failed',
          message: cause,
        },
        { startedAt: now() - 30 * HOUR, endedAt: now() - 29 * HOUR, result: 'success' },
      ]);
      expect(second).toMatchObject({
        name: 'Hourly',
        isEnabled: false,
        lastRun: null,
        schedulePolicy: {
          retryNumber: 0,
          schedule: { type: 'Periodically', periodicallyEvery: 'Hours2' },
        },
      });
      const { rows } = (await place.admin<{ rows: object[] }>('GET', 'o365/repositories')).body
        .data;
      expect(rows).toMatchObject([
        {
          repository: 'Main',
          target: { type: 'Server' },
          usedBytes: 123_456_789,
          points: null,
          retentionPolicy: 'Years3',
          jobs: 2,
        },
      ]);

      // A day later, one is renamed, one is gone, and another session has ended.
      await pass(DAY);
      nightly.name = 'Every night';
      nightly.eTag += 1;
      content.jobs.splice(content.jobs.indexOf(hourly), 1);
      addSession(content, nightly, now() - 2 * HOUR);
      await place.jobs.tick();
      await place.jobs.tick();
      const later = await listJobs();
      expect(later).toMatchObject([{ name: 'Every night', excluded: 1, lastStatus: 'Success' }]);
      expect(later[0]?.recent.map(({ result }) => result)).toEqual([
        'success',
        'failed',
        'success',
      ]);
      // Nothing of it was started by the portal's own schedule.
      expect(content.sessions).toHaveLength(4);
    });

    test('VB365-13: a session is one result in Monitoring, unless a connection reads the server', async () => {
      const { content } = server;
      const nightly = addJob(content, addOrganization(content, 'One'), 'Nightly');
      addSession(content, nightly, now() - 6 * HOUR, { status: 'Failed', details: 'It failed.' });
      await importFrom(place.admin, server.outside.url, { companyId: 1 });
      for (let turn = 0; turn < 3; turn += 1) await place.jobs.tick();
      expect(await results()).toMatchObject([{ status: 'Failed', startedAt: now() - 6 * HOUR }]);
      const made = await place.admin('POST', 'monitoring/connections', {
        kind: 'vb365',
        name: 'Suite server',
        address: server.outside.url,
        companyN: null,
        everySec: 300,
        enabled: true,
        certificate: null,
        credentials: { kind: 'password', ...USER },
      });
      expect(made.status).toBe(200);
      await pass(DAY);
      addSession(content, nightly, now() - 6 * HOUR);
      for (let turn = 0; turn < 3; turn += 1) await place.jobs.tick();
      expect((await listJobs())[0]?.recent).toHaveLength(2);
      expect(await results()).toHaveLength(1);
    });

    test('VB365-11: a server that is away is named with its reason, its backups stay, and it is read again', async () => {
      const { content } = server;
      const one = addOrganization(content, 'One');
      addSession(content, addJob(content, one, 'Nightly'), now() - HOUR * 2);
      await importFrom(place.admin, server.outside.url, { companyId: 1 });
      await place.jobs.tick();
      const state = async () =>
        (
          await place.admin<{ rows: { server: { problem: string | null } }[] }>(
            'GET',
            'o365/organizations',
          )
        ).body.data.rows[0]?.server;
      expect(await state()).toMatchObject({ problem: null, readAt: now() });
      server.failure = () => ({ ...json({ message: 'Upgrading.' }), status: 500 });
      await pass(HOUR);
      await place.jobs.tick();
      expect((await state())?.problem).toContain('Upgrading');
      const [known] = await listJobs();
      expect(known?.recent).toHaveLength(1);
      const started = await place.admin('POST', `o365/jobs/${known?.id ?? ''}/start`, {});
      expect([started.status, started.text]).toEqual([409, expect.stringContaining('Upgrading')]);
      server.failure = () => null;
      content.organizations.splice(0);
      await place.jobs.tick();
      expect((await state())?.problem).toBe('The server no longer has the organization One.');
      expect(await listJobs()).toHaveLength(1);
      content.organizations.push(one);
      await place.jobs.tick();
      expect((await state())?.problem).toBeNull();
    });

    test('VB365-12: what only the server can do is refused with a sentence', async () => {
      const { content } = server;
      addJob(content, addOrganization(content, 'One'), 'Nightly');
      const { rows } = (await importFrom(place.admin, server.outside.url, { companyId: 1 })).body
        .data;
      await place.jobs.tick();
      const id = rows[0]?.id ?? '';
      const repositories = await place.admin<{ rows: { id: string }[] }>(
        'GET',
        'o365/repositories',
      );
      const vault = repositories.body.data.rows[0]?.id ?? '';
      for (const [method, path, body] of [
        [
          'PUT',
          `organizations/${id}`,
          { ...organization(1), companyId: undefined, type: undefined },
        ],
        ['POST', 'organizations/app-device-code', { organizationId: id }],
        ['POST', 'repositories', repository(id)],
        ['PATCH', `repositories/${vault}`, { description: 'Changed' }],
        ['POST', `repositories/${vault}/clean-up`, {}],
        ['POST', `repositories/${vault}/verify`, {}],
      ] as const) {
        const { status, text } = await place.admin(method, `o365/${path}`, body);
        expect([method, path, status, text]).toEqual([
          method,
          path,
          409,
          expect.stringContaining('Veeam Backup for Microsoft 365 manages'),
        ]);
      }
      expect(await listJobs()).toHaveLength(1);
      expect(content.jobs).toHaveLength(1);
    });
  });
});

describe('a server with its own certificate', () => {
  let place: Place;
  beforeAll(async () => {
    place = await aPlace(await anyStore());
  });
  afterAll(() => place.jobs.stop());

  test('VB365-9, VB365-5: its certificate is shown before anything is sent, and then pinned', async () => {
    const server = await startSecureVb365('v8', () => place.fixture.context.clock.now());
    addOrganization(server.content, 'One');
    const input = { apiUrl: server.url, username: USER.name, password: USER.secret };
    const test1 = await place.admin<{ ok: boolean; seen: { certificate: string } | null }>(
      'POST',
      'o365/organizations/from-api/test',
      input,
    );
    expect([test1.body.data.ok, server.queries]).toEqual([false, []]);
    const certificate = test1.body.data.seen?.certificate ?? '';
    expect(certificate.replaceAll(/\s/g, '')).toBe(server.certificate.replaceAll(/\s/g, ''));
    const imported = await importFrom(place.admin, server.url, { certificate, companyId: 1 });
    expect(imported.body.data.rows).toHaveLength(1);
    await place.jobs.tick();
    await server.renewCertificate();
    const before = server.queries.length;
    place.fixture.pass(HOUR);
    await place.jobs.tick();
    expect(server.queries).toHaveLength(before);
    await server.stop();
  });

  test('VB365-9: an address of the own network is refused, a wrong one named, and tries are limited', async () => {
    const fixture = await makeFixture({}, await anyStore());
    const office = await anOffice(fixture);
    const admin = await office.as('admin', ['o365_admin']);
    const ask = (apiUrl: string) =>
      admin<{ ok: boolean; message: string; seen: null }>(
        'POST',
        'o365/organizations/from-api/test',
        {
          apiUrl,
          username: 'svc',
          password: 'secret',
        },
      );
    const near = (await ask('https://127.0.0.1:4443')).body.data;
    expect([near.ok, near.seen]).toEqual([false, null]);
    expect((await ask('https://user:word@vb365.example.com')).status).toBe(400);
    expect((await ask('ftp://vb365.example.com')).status).toBe(400);
    let refused = 0;
    for (let n = 0; n < 25; n += 1)
      if ((await ask('https://127.0.0.1:4443')).status === 429) refused += 1;
    expect(refused).toBe(6);
  });
});
