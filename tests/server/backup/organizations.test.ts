import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { anyDatabase } from '../db/databases.ts';
import { aSuite, CODE, makeAll, organization, repository } from './fixtures.ts';

interface Row {
  readonly _id: string;
  readonly name: string;
  readonly companyN: number;
  readonly officeName: string;
}
interface Rows {
  readonly rows: readonly Row[];
  readonly count: number;
}

anyDatabase((kind, open) => {
  test(`SUITE-3: a company names its organizations, as long as they are backed up (${kind})`, async () => {
    const { office, recording } = await aSuite(await open());
    const admin = await office.as('admin', ['o365_admin', 'admin']);
    const listed = async (): Promise<readonly (readonly string[])[]> => {
      const { data } = (
        await admin<
          { n: number; applications: { office365: { organizations: { id: string }[] } } }[]
        >('GET', 'companies')
      ).body;
      return data
        .toSorted((a, b) => a.n - b.n)
        .map(({ applications }) => applications.office365.organizations.map(({ id }) => id));
    };
    expect(await listed()).toEqual([[], []]);
    const ours = await makeAll(admin, 1, 'Calloway');
    recording.directory = randomUUID();
    const theirs = await makeAll(admin, 2, 'Drummond');
    expect(await listed()).toEqual([[ours.organization], [theirs.organization]]);
    await admin('DELETE', `o365/organizations/${ours.organization}`);
    expect(await listed()).toEqual([[], [theirs.organization]]);
  });

  test(`SUITE-3: an organization signs in to its tenant, and is read back without credentials (${kind})`, async () => {
    const { office, recording } = await aSuite(await open());
    const admin = await office.as('admin', ['o365_admin']);
    const created = await admin<{ id: string; repositoryId: string }>(
      'POST',
      'o365/organizations',
      organization(1, {
        isTeamsChatsOnline: true,
        repository: { repository: 'First', retentionPolicy: 'Keep' },
      }),
    );
    expect(created.status).toBe(200);
    const { id, repositoryId } = created.body.data;
    expect(recording.calls.map(({ name }) => name)).toEqual(['create', 'connect']);
    expect(recording.calls[1]).toMatchObject({
      organization: id,
      input: {
        auth: 'modern',
        region: 'Worldwide',
        services: ['exchange', 'sharepoint'],
        code: CODE,
        newApplicationName: 'Daybook backup',
      },
    });
    expect((await admin<Row>('GET', `o365/organizations/${id}`)).body.data).toMatchObject({
      _id: id,
      name: 'Calloway tenant',
      officeName: 'calloway.onmicrosoft.example',
      authType: 'modern',
      certificate: { thumbprint: 'AB'.repeat(20), expiresAt: 1_900_000_000_000 },
      // Posts of channels need Teams.
      isTeamsChatsOnline: false,
      companyN: 1,
      companyName: 'Calloway Freight',
      isBackedup: false,
    });
    expect((await admin('GET', 'o365/organizations/names')).body.data).toEqual([
      { _id: id, name: 'Calloway tenant', companyN: 1 },
    ]);
    expect((await admin('GET', `o365/repositories?organizationId=${id}`)).body.data).toMatchObject({
      count: 1,
      rows: [{ _id: repositoryId, repository: 'First', retentionPolicy: 'Keep', points: 3 }],
    });
    // The server itself is the first proxy.
    expect((await admin('GET', 'o365/proxies')).body.data).toMatchObject({
      count: 1,
      rows: [{ name: 'Built-in', maintenance: false }],
    });
    expect((await admin('GET', 'o365/version')).body.data).toEqual({
      version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
      authTypes: ['modern', 'modernLegacy'],
      services: ['exchange', 'sharepoint', 'teams'],
    });
  });

  test(`SUITE-3: a service or sign-in method that isn't supported is refused at its field (${kind})`, async () => {
    const { office, recording } = await aSuite(await open());
    const admin = await office.as('admin', ['o365_admin']);
    const wrong: readonly (readonly [string, object])[] = [
      ['isExchangeOnline', { isExchangeOnline: false, isSharePointOnline: false }],
      ['authType', { authType: 'basic' }],
      ['authType', { authType: 'password' }],
      ['region', { region: 'Atlantis' }],
      ['userCode', { userCode: undefined }],
      ['isTeamsChatsOnline', { isTeamsOnline: true, isTeamsChatsOnline: true }],
      ['name', { name: '' }],
      ['exchangeOnlineSettings.applicationId', { authType: 'modernLegacy', userCode: undefined }],
      [
        'exchangeOnlineSettings.applicationSecret',
        { authType: 'modernLegacy', exchangeOnlineSettings: { applicationId: CODE } },
      ],
      [
        'exchangeOnlineSettings.officeOrganizationName',
        {
          authType: 'modernLegacy',
          exchangeOnlineSettings: { applicationId: CODE, applicationSecret: 'a secret' },
        },
      ],
      [
        'repository.repeatPassword',
        {
          repository: {
            retentionPolicy: 'Year1',
            password: 'longenough',
            repeatPassword: 'x'.repeat(10),
          },
        },
      ],
      [
        'repository.passwordDescription',
        {
          repository: {
            retentionPolicy: 'Year1',
            password: 'longenough',
            repeatPassword: 'longenough',
            passwordDescription: 'It is LongEnough',
          },
        },
      ],
    ];
    for (const [path, change] of wrong) {
      const { status, body } = await admin('POST', 'o365/organizations', organization(1, change));
      expect([path, status, body.error.issues?.map((issue) => issue.path)]).toEqual([
        path,
        400,
        [path],
      ]);
    }
    expect(recording.calls).toEqual([]);
  });

  test(`G72: a tenant has one organization, and other companies don't learn whose it is (${kind})`, async () => {
    const { office, recording } = await aSuite(await open());
    const all = await office.as('all', ['o365_admin']);
    const other = await office.as('other', ['o365_admin'], [2]);
    const { organization: id } = await makeAll(all, 1, 'Canary');
    const again = await all('POST', 'o365/organizations', organization(1, { name: 'Again' }));
    expect([again.status, again.body.message]).toEqual([
      409,
      'This Microsoft 365 tenant already belongs to the organization Canary.',
    ]);
    const foreign = await other('POST', 'o365/organizations', organization(2, { name: 'Mine' }));
    expect([foreign.status, foreign.body.message]).toEqual([
      409,
      "This Microsoft 365 tenant can't be added.",
    ]);
    // Both were refused before the engine changed anything, and no access was removed.
    expect(recording.calls.map(({ name }) => name)).toEqual([
      'connect',
      'create',
      'connect',
      'connect',
    ]);
    expect(recording.calls[0]?.organization).toBe(id);
    expect((await other<Rows>('GET', 'o365/organizations')).body.data.rows).toEqual([]);
  });

  test(`SUITE-3: an organization that can't be added leaves no repository, and one refused in the last moment names its application (${kind})`, async () => {
    const { office, recording } = await aSuite(await open());
    const admin = await office.as('admin', ['o365_admin']);
    const REPOSITORY = {
      retentionPolicy: 'Year1',
      password: 'longenough',
      repeatPassword: 'longenough',
    };
    await makeAll(admin, 1, 'Calloway');
    recording.calls.length = 0;
    const create = (more: object) => admin('POST', 'o365/organizations', organization(1, more));
    expect((await create({ name: 'calloway' })).status).toBe(409);
    expect(recording.calls).toEqual([]);
    expect((await create({ name: 'Other', repository: REPOSITORY })).status).toBe(409);
    const [made, , removed] = recording.calls;
    expect(recording.calls.map(({ name }) => name)).toEqual([
      'create',
      'connect',
      'deleteRepository',
    ]);
    const id = (removed?.input as { repository: string } | undefined)?.repository;
    expect(made?.input).toMatchObject({ repository: id });
    // Somebody else adds an organization with this name during the sign-in.
    recording.directory = '00000000-0000-4000-a000-000000000007';
    let isFirst = true;
    Object.assign(recording.engine.organizations, {
      connect: async () => {
        if (!isFirst) recording.directory = '00000000-0000-4000-a000-000000000008';
        const { directory } = recording;
        if (isFirst) {
          isFirst = false;
          expect((await create({ name: 'Racing' })).status).toBe(200);
        }
        return {
          ok: true,
          value: {
            directoryId: directory,
            domain: 'racing.example.com',
            displayName: 'Racing',
            applicationId: '00000000-0000-4000-b000-000000000009',
            certificate: null,
            missingPermissions: [],
            isCertificateMissing: false,
          },
        };
      },
    } satisfies Partial<typeof recording.engine.organizations>);
    const late = await create({ name: 'Racing' });
    expect(late.status).toBe(409);
    expect(late.body.message).toBe(
      'This name is already in use. The application 00000000-0000-4000-b000-000000000009 was created in the tenant: enter its ID next time, or delete it there.',
    );
    expect(recording.calls.at(-1)).toMatchObject({ name: 'disconnect' });
  });

  test(`SUITE-3: changing a name or a service keeps the access; a new sign-in must be to the same tenant (${kind})`, async () => {
    const { office, recording } = await aSuite(await open());
    const admin = await office.as('admin', ['o365_admin']);
    const { organization: id } = await makeAll(admin, 1, 'Calloway');
    const put = (more: object) => {
      const {
        companyId: _company,
        type: _type,
        ...fields
      } = organization(1, {
        userCode: undefined,
        newApplicationName: undefined,
        ...more,
      }) as Record<string, unknown>;
      return admin('PUT', `o365/organizations/${id}`, fields);
    };
    recording.calls.length = 0;
    expect((await put({ name: 'Renamed', isSharePointOnline: false })).status).toBe(200);
    expect(recording.calls).toEqual([]);
    // What was switched off, too, needs its permissions again.
    for (const added of [{ isTeamsOnline: true }, {}]) {
      const unsigned = await put({ name: 'Renamed', ...added });
      expect([unsigned.status, unsigned.body.error.issues?.map((issue) => issue.path)]).toEqual([
        400,
        ['userCode'],
      ]);
    }
    expect(recording.calls).toEqual([]);
    expect((await put({ name: 'Renamed', isTeamsOnline: true, userCode: CODE })).status).toBe(200);
    expect(recording.calls).toMatchObject([
      {
        name: 'connect',
        organization: id,
        input: {
          code: CODE,
          directoryId: recording.directory,
          services: ['exchange', 'sharepoint', 'teams'],
          // The current application stays, with its certificate.
          setup: 'permissions',
        },
      },
    ]);
    recording.failing.set('connect', { kind: 'refused', message: 'Another tenant.' });
    const refused = await put({ name: 'Renamed', userCode: CODE });
    expect([refused.status, refused.body.message]).toEqual([409, 'Another tenant.']);
    expect((await admin<Row>('GET', `o365/organizations/${id}`)).body.data).toMatchObject({
      name: 'Renamed',
      isTeamsOnline: true,
    });
  });

  test(`SUITE-3, G73: deleting an organization ends its access and its jobs, and notifies all administrators (${kind})`, async () => {
    const { office, recording, ground: fixture } = await aSuite(await open());
    const admin = await office.as('admin', ['o365_admin']);
    await office.as('second', ['admin'], [1]);
    await office.as('foreign', ['o365_admin'], [2]);
    const { organization: id, job } = await makeAll(admin, 1, 'Calloway');
    recording.calls.length = 0;
    const deleted = await admin<{ dataUntil: number }>('DELETE', `o365/organizations/${id}`);
    expect(deleted.status).toBe(200);
    expect(deleted.body.data.dataUntil - fixture.context.clock.now()).toBe(30 * 86_400_000);
    expect(recording.calls).toMatchObject([{ name: 'disconnect', organization: id }]);
    expect((await admin('GET', `o365/organizations/${id}`)).status).toBe(404);
    expect((await admin('GET', `o365/jobs/${job}`)).status).toBe(404);
    const queued = await fixture.context.store.tenant(office.tenant, ({ sql, tenant }) =>
      sql.selectFrom('outgoing').select('id').where('tenant_id', '=', tenant).execute(),
    );
    // The one who deletes, the second, and the office's own administrator; nobody of company 2.
    expect(queued).toHaveLength(3);
    expect((await admin('DELETE', `o365/organizations/${id}`)).status).toBe(404);
  });

  test(`OUT-3: a command sent twice signs in once and gets the same answer; at the same time, one organization is made (${kind})`, async () => {
    const { office, recording } = await aSuite(await open());
    const admin = await office.as('admin', ['o365_admin']);
    const device = randomUUID();
    const command = (order: number, key: string = randomUUID()): Record<string, string> => ({
      'idempotency-key': key,
      'daybook-device': device,
      'daybook-order': String(order),
    });
    const first = command(1);
    const once = await admin('POST', 'o365/organizations', organization(1), first);
    const twice = await admin('POST', 'o365/organizations', organization(1), first);
    expect([once.status, twice.text]).toEqual([200, once.text]);
    expect(recording.calls.map(({ name }) => name)).toEqual(['connect']);
    recording.directory = randomUUID();
    const second = command(2);
    const both = await Promise.all(
      [second, second].map((headers) =>
        admin('POST', 'o365/organizations', organization(2, { name: 'Second' }), headers),
      ),
    );
    expect(new Set(both.map(({ status }) => status))).toEqual(new Set([200]));
    expect(new Set(both.map(({ text }) => text)).size).toBe(1);
    expect((await admin<Rows>('GET', 'o365/organizations')).body.data.count).toBe(2);
  });

  test(`SUITE-3: people choose from the tenant's directory, and a failure of the engine is a failure of the call (${kind})`, async () => {
    const { office, recording } = await aSuite(await open());
    const admin = await office.as('admin', ['o365_admin']);
    const { organization: id } = await makeAll(admin, 1, 'Calloway');
    recording.calls.length = 0;
    expect(
      (await admin('GET', `o365/organizations/${id}/users?search=an&limit=1`)).body.data,
    ).toEqual({
      rows: [{ id: 'u1', name: 'Ann', address: 'ann@example.com', children: null }],
      next: 'more',
      count: 2,
    });
    for (const path of ['groups', 'teams', 'sites', 'sites/root%3A1/children'])
      expect((await admin('GET', `o365/organizations/${id}/${path}`)).status).toBe(200);
    expect(recording.calls.map(({ input }) => input)).toMatchObject([
      { kind: 'user', text: 'an', limit: 1, parent: null },
      { kind: 'group' },
      { kind: 'team' },
      { kind: 'site', parent: null },
      { kind: 'site', parent: 'root:1' },
    ]);
    const kinds = {
      unreachable: 503,
      busy: 503,
      refused: 409,
      forbidden: 403,
      missing: 404,
      conflict: 409,
      invalid: 400,
      unsupported: 409,
      ended: 409,
      damaged: 409,
      internal: 500,
    } as const;
    for (const [error, status] of Object.entries(kinds) as [keyof typeof kinds, number][]) {
      recording.failing.set('listObjects', {
        kind: error,
        message: 'What happened.',
        waitMs: 2_000,
      });
      const answer = await admin('GET', `o365/organizations/${id}/users`);
      expect([error, answer.status]).toEqual([error, status]);
    }
  });

  test(`G69: a device code is requested for a company that the user sees, and the engine knows for whom (${kind})`, async () => {
    const { office, recording, ground: fixture } = await aSuite(await open());
    const admin = await office.as('admin', ['o365_admin'], [1]);
    const { organization: id } = await makeAll(admin, 1, 'Calloway');
    const me = (await admin<{ me: { id: string } }>('GET', 'sync/bootstrap')).body.data.me.id;
    recording.calls.length = 0;
    const ask = (companyObjId: number) =>
      admin('POST', 'o365/organizations/device-code', { targetRegion: 'Worldwide', companyObjId });
    expect((await ask(2)).status).toBe(404);
    // By the clock of the server, whatever that of the device shows.
    const expiresInMs = 1_800_000_000_000 - fixture.context.clock.now();
    const code = { userCode: 'ABCD-EFGH', expiresInMs, intervalMs: 5_000 };
    expect((await ask(1)).body.data).toMatchObject(code);
    expect(
      (await admin('POST', 'o365/organizations/app-device-code', { organizationId: id })).body.data,
    ).toMatchObject(code);
    expect(
      (await admin('POST', 'o365/organizations/device-code/check', { code: CODE })).body.data,
    ).toEqual({ state: 'granted' });
    expect(
      (
        await admin('POST', 'o365/organizations/renew-certificate', {
          organizationId: id,
          code: CODE,
        })
      ).body.data,
    ).toEqual({ thumbprint: 'CD'.repeat(20), expiresAt: 1_950_000_000_000 });
    expect(recording.calls.map(({ name, user }) => [name, user])).toEqual([
      ['requestDeviceCode', me],
      ['requestDeviceCode', me],
      ['checkDeviceCode', me],
      ['renewCertificate', me],
    ]);
    expect((await admin('GET', `o365/organizations/${id}`)).body.data).toMatchObject({
      certificate: { thumbprint: 'CD'.repeat(20) },
    });
  });

  test(`G62: no secret of a call reaches the log, a row, a record or an answer (${kind})`, async () => {
    const { office, ground: fixture } = await aSuite(await open());
    const admin = await office.as('admin', ['o365_admin']);
    const canaries = Array.from({ length: 6 }, (_, n) => `canary-${n}-${randomUUID()}`);
    const [appSecret, password, account, vault, changed, server] = canaries;
    const answers = [
      await admin<{ id: string }>(
        'POST',
        'o365/organizations',
        organization(1, {
          authType: 'modernLegacy',
          exchangeOnlineSettings: {
            applicationId: CODE,
            applicationSecret: appSecret,
            officeOrganizationName: 'calloway.onmicrosoft.example',
            password,
            account: `${account}@example.com`,
          },
        }),
      ),
    ];
    const id = answers[0]?.body.data.id ?? '';
    const made = await admin<{ id: string }>(
      'POST',
      'o365/repositories',
      repository(id, { password: vault, repeatPassword: vault }),
    );
    answers.push(made);
    answers.push(
      await admin<{ id: string }>('PATCH', `o365/repositories/${made.body.data.id}`, {
        password: changed,
        repeatPassword: changed,
      }),
      await admin<{ id: string }>('POST', 'o365/organizations/from-api', {
        apiUrl: 'https://127.0.0.1:9',
        username: 'svc',
        password: server,
      }),
      await admin<{ id: string }>('GET', `o365/organizations/${id}`),
      await admin<{ id: string }>('GET', 'o365/repositories'),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 409, 200, 200]);
    const stored = await fixture.context.store.tenant(office.tenant, async (tx) => [
      await tx.eventsAfter(0, 1_000),
      await tx.all('organization'),
      await tx.all('backupRepository'),
      await tx.sql.selectFrom('audit').selectAll().where('tenant_id', '=', tx.tenant).execute(),
      await tx.sql.selectFrom('command').selectAll().where('tenant_id', '=', tx.tenant).execute(),
      await tx.sql.selectFrom('outgoing').selectAll().where('tenant_id', '=', tx.tenant).execute(),
    ]);
    const seen = JSON.stringify([stored, answers.map(({ text }) => text), fixture.lines]);
    expect(seen).toContain('organization.created@1');
    expect(canaries.filter((canary) => seen.includes(canary))).toEqual([]);
  });
});
