import { randomUUID, X509Certificate } from 'node:crypto';
import { afterEach, expect, test } from 'vitest';
import type { ConnectInput } from '#contract/engine/connection.ts';
import type { EngineScope, Service } from '#contract/engine/engine.ts';
import { createDemoTenant } from '#server/demo/tenant/tenant.ts';
import { makeEmbeddedEngine } from '#server/engine/embedded/engine.ts';
import { freshStore, ONE } from '../../db/databases.ts';
import { aTenant } from '../../db/drafts.ts';
import { makeFixture } from '../../http/fixtures.ts';
import { getKind, getValue } from '../restic/fixtures.ts';

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

/** What Microsoft's page of permissions says reading mails, files and the directory needs. */
const PERMISSIONS = [
  'Calendars.Read',
  'Contacts.Read',
  'Files.Read.All',
  'Group.Read.All',
  'Mail.Read',
  'MailboxItem.Export.All',
  'Organization.Read.All',
  'Sites.Read.All',
  'Tasks.Read.All',
  'User.Read.All',
];
/** With what an application is given beside what it can't do without. */
const GRANTED = [...PERMISSIONS, 'Member.Read.Hidden'].toSorted((a, b) => (a < b ? -1 : 1));

type Send = (request: Request) => Promise<Response>;
async function aFixture() {
  const fixture = await makeFixture({}, await freshStore(ONE));
  const sent: string[] = [];
  const { clock } = fixture.context;
  // Waits pass at once. Limits for answers, from 30 seconds, are real.
  const quick = {
    ...clock,
    after: (ms: number, run: () => void) =>
      ms > 29_000 ? clock.after(ms, run) : clock.after(0, () => (fixture.pass(ms), run())),
  };
  const context = { ...fixture.context, clock: quick };
  const office = createDemoTenant({
    file: null,
    seed: 5,
    now: () => clock.now(),
    size: { people: 2, minMails: 1, maxMails: 1, minFiles: 1, maxFiles: 1, maxFileBytes: 1_000 },
  });
  closing.push(() => office.close());
  let through: ((request: Request, send: Send) => Promise<Response>) | null = null;
  context.cloud.connectTo(async (request) => {
    sent.push(`${request.method} ${new URL(request.url).pathname}`);
    return through ? through(request, office.fetch) : office.fetch(request);
  });
  const tenant = await aTenant(context.store);
  const engine = makeEmbeddedEngine(() => context);
  const scope: EngineScope = { tenant, organization: randomUUID(), user: randomUUID() };
  const administrator = office.admin.listUsers()[0]?.id ?? '';
  const { organizations } = engine;
  const request = async () =>
    getValue(await organizations.requestDeviceCode(scope, { region: 'Worldwide' }));
  const check = (code: string, by = scope) => organizations.checkDeviceCode(by, { code });
  const grant = async (): Promise<string> => {
    const { id, userCode } = await request();
    expect(office.admin.approveDeviceCode(userCode, administrator)).toBe(true);
    expect(getValue(await check(id))).toBe('granted');
    return id;
  };
  const connect = (code: string | null, more: Partial<ConnectInput> = {}, by = scope) =>
    organizations.connect(by, {
      region: 'Worldwide',
      auth: 'modern',
      services: ['exchange', 'sharepoint'],
      code,
      officeOrganizationName: null,
      newApplicationName: 'Harbour Backup',
      applicationId: null,
      applicationSecret: null,
      setup: 'all',
      directoryId: null,
      ...more,
    });
  /** The thumbprints of an application's keys. */
  const getKeys = (appId: string): string[] =>
    (office.admin.findApplication(appId)?.keys ?? []).map(({ key }) =>
      new X509Certificate(Buffer.from(key, 'base64')).fingerprint.replaceAll(':', ''),
    );
  const health = async (services: readonly Service[] = ['exchange', 'sharepoint']) =>
    getValue(await organizations.test(scope, { services }));
  return {
    ...fixture,
    health,
    signsIn: async () => (await health()).services.every(({ message }) => message === null),
    engine,
    office,
    administrator,
    scope,
    sent,
    request,
    check,
    grant,
    connect,
    keysOf: getKeys,
    renew: (code: string) => organizations.renewCertificate(scope, { code }),
    pass: (ms: number) => fixture.pass(ms),
    through: (run: typeof through) => {
      through = run;
    },
    /** From now on, connections break before requests that fit arrive, or before their answers. */
    cutAt: (fits: RegExp, when: 'before' | 'after') => {
      through = async (query, send) => {
        const isHit = fits.test(`${query.method} ${new URL(query.url).pathname}`);
        if (isHit && when === 'before') throw new Error('cut');
        const answer = await send(query);
        if (isHit) throw new Error('cut');
        return answer;
      };
    },
    codes: () =>
      context.store.tenant(tenant, ({ sql }) =>
        sql.selectFrom('device_code').selectAll().execute(),
      ),
  };
}

test('G69, ENG-23: a device code is pending, slowed down, and then granted to the user who asked', async () => {
  const { engine, request, check, pass, office, administrator, scope, codes } = await aFixture();
  expect(engine.capabilities.auth).toEqual(['modern', 'modernLegacy']);
  const shown = await request();
  expect(Object.keys(shown).sort()).toEqual([
    'expiresAt',
    'id',
    'intervalMs',
    'userCode',
    'verificationUrl',
  ]);
  expect(getValue(await check(shown.id))).toBe('pending');
  expect(getValue(await check(shown.id))).toBe('slow-down');
  pass(20_000);
  expect(getValue(await check(shown.id))).toBe('pending');
  const others: EngineScope[] = [
    { ...scope, user: randomUUID() },
    { ...scope, user: null },
  ];
  office.admin.approveDeviceCode(shown.userCode, administrator);
  for (const other of others) expect(getKind(await check(shown.id, other))).toBe('missing');
  expect(getValue(await check(shown.id))).toBe('granted');
  expect(getValue(await check(shown.id))).toBe('granted');
  expect(JSON.stringify(await codes())).not.toContain(shown.userCode);
});

test('ENG-23: a device code is declined or expires, and expired codes are deleted', async () => {
  const { request, check, pass, office, connect, codes } = await aFixture();
  const declined = await request();
  office.admin.declineDeviceCode(declined.userCode);
  expect(getValue(await check(declined.id))).toBe('declined');
  expect(getKind(await connect(declined.id))).toBe('conflict');
  const late = await request();
  pass(15 * 60_000);
  expect(getValue(await check(late.id))).toBe('expired');
  expect(getKind(await connect(late.id))).toBe('ended');
  await request();
  expect(await codes()).toHaveLength(1);
});

test('ENG-23: an application with a secret is connected by the domain of its tenant, and changed without its secret', async () => {
  const { connect, office, signsIn } = await aFixture();
  const { appId, secret } = office.admin.registerApplication('Own', PERMISSIONS);
  const legacy = {
    auth: 'modernLegacy',
    newApplicationName: null,
    applicationId: appId,
    applicationSecret: secret,
    officeOrganizationName: office.domain,
  } as const;
  const field = async (more: Partial<ConnectInput>) => {
    const answer = await connect(null, { ...legacy, ...more });
    return answer.ok ? 'ok' : answer.error.field;
  };
  expect([
    await field({ officeOrganizationName: null }),
    await field({ applicationId: null }),
    await field({ applicationSecret: null }),
  ]).toEqual([
    'exchangeOnlineSettings.officeOrganizationName',
    'exchangeOnlineSettings.applicationId',
    'exchangeOnlineSettings.applicationSecret',
  ]);
  expect(getValue(await connect(null, legacy))).toMatchObject({
    directoryId: office.id,
    applicationId: appId,
    certificate: null,
  });
  // The stored secret stays, and is the one of this application alone.
  const unchanged = { ...legacy, applicationSecret: null };
  expect(getValue(await connect(null, unchanged))).toMatchObject({ directoryId: office.id });
  expect(await signsIn()).toBe(true);
  const other = office.admin.registerApplication('Other', PERMISSIONS);
  expect(await connect(null, { ...unchanged, applicationId: other.appId })).toMatchObject({
    ok: false,
    error: { field: 'exchangeOnlineSettings.applicationSecret' },
  });
});

test('ENG-50: an administrator connects a tenant by device code, with an application, a certificate of two years and permissions to read', async () => {
  const { grant, connect, office, scope, signsIn, keysOf: getKeys, codes, pass } = await aFixture();
  const code = await grant();
  expect(getKind(await connect(code, {}, { ...scope, user: randomUUID() }))).toBe('missing');
  expect(getKind(await connect(null))).toBe('invalid');
  expect(getKind(await connect(code, { region: 'China' }))).toBe('invalid');
  const connected = getValue(await connect(code));
  expect(connected).toMatchObject({
    directoryId: office.id,
    displayName: office.name,
    missingPermissions: [],
  });
  const appId = connected.applicationId ?? '';
  const application = office.admin.findApplication(appId);
  expect(application?.displayName).toBe('Harbour Backup');
  expect([...(application?.roles ?? [])].sort()).toEqual(GRANTED);
  expect(getKeys(appId)).toEqual([connected.certificate?.thumbprint]);
  const { startsAt = 0, expiresAt = 0 } = connected.certificate ?? {};
  expect((expiresAt - startsAt) / 86_400_000).toBe(730);
  expect(await codes()).toEqual([]);
  expect(getKind(await connect(code))).toBe('missing');
  pass(2 * 3_600_000);
  expect(await signsIn()).toBe(true);
});

test('ENG-50: an existing application keeps its keys and gets what it lacks; what the tenant does not offer is named', async () => {
  const { grant, connect, office, keysOf: getKeys, through } = await aFixture();
  const { appId } = office.admin.registerApplication('Own', ['Mail.Read']);
  const existing = { newApplicationName: null, applicationId: appId };
  const first = getValue(await connect(await grant(), { ...existing, services: ['exchange'] }));
  expect(office.admin.findApplication(appId)?.roles).not.toContain('Files.Read.All');
  through(async (request, send) => {
    const answer = await send(request);
    if (!request.url.includes('/servicePrincipals?')) return answer;
    const text = (await answer.text()).replaceAll('"Sites.Read.All"', '"Sites.Unknown"');
    return new Response(text, { headers: { 'content-type': 'application/json' } });
  });
  const second = getValue(await connect(await grant(), existing));
  expect(second.missingPermissions).toEqual(['Sites.Read.All']);
  expect(getKeys(appId)).toEqual([first.certificate?.thumbprint, second.certificate?.thumbprint]);
  expect(
    getKind(
      await connect(await grant(), { newApplicationName: null, applicationId: randomUUID() }),
    ),
  ).toBe('missing');
});

test('ENG-50: an application that is not to be configured is only read: what it lacks is returned, and the access works once an administrator has set it up', async () => {
  const { grant, connect, office, sent, keysOf: getKeys, health, signsIn } = await aFixture();
  const { appId } = office.admin.registerApplication('Own', ['Mail.ReadWrite', 'User.Read.All']);
  const code = await grant();
  sent.length = 0;
  const connected = getValue(
    await connect(code, { newApplicationName: null, applicationId: appId, setup: 'nothing' }),
  );
  expect(sent.filter((line) => !line.startsWith('GET ') && !line.endsWith('/token'))).toEqual([]);
  expect(connected).toMatchObject({ directoryId: office.id, isCertificateMissing: true });
  // Reading is part of a permission to write.
  const lacking = PERMISSIONS.filter((one) => one !== 'Mail.Read' && one !== 'User.Read.All');
  expect(connected.missingPermissions.toSorted()).toEqual(lacking);
  expect(getKeys(appId)).toEqual([]);
  expect(office.admin.findApplication(appId)?.roles).toEqual(['Mail.ReadWrite', 'User.Read.All']);
  expect(await signsIn()).toBe(false);

  const { certificate } = await health();
  office.admin.addCertificate(appId, new X509Certificate(certificate ?? '').raw);
  expect(getKeys(appId)).toEqual([connected.certificate?.thumbprint]);
  const { services } = await health();
  expect(services.map(({ ok, message }) => [ok, message])).toEqual([
    [false, null],
    [false, null],
  ]);
  expect(new Set(services.flatMap((one) => one.missingPermissions))).toEqual(new Set(lacking));
  office.admin.grantRoles(appId, PERMISSIONS);
  expect((await health()).services.map(({ ok }) => ok)).toEqual([true, true]);
  // Signing in again finds the certificate that the administrator added.
  const again = getValue(
    await connect(await grant(), {
      newApplicationName: null,
      applicationId: appId,
      setup: 'nothing',
    }),
  );
  expect(again).toMatchObject({
    certificate: connected.certificate,
    missingPermissions: [],
    isCertificateMissing: false,
  });
});

test('ENG-50: an application that is kept gets the permissions of a new service and keeps its certificate', async () => {
  const { grant, connect, office, keysOf: getKeys, health } = await aFixture();
  const first = getValue(await connect(await grant(), { services: ['exchange'] }));
  const appId = first.applicationId ?? '';
  const before = await health(['exchange', 'teams']);
  expect(before.services.map(({ service, ok }) => [service, ok])).toEqual([
    ['exchange', true],
    ['teams', false],
  ]);
  const second = getValue(
    await connect(await grant(), {
      services: ['exchange', 'teams'],
      newApplicationName: null,
      applicationId: appId,
      directoryId: office.id,
      setup: 'permissions',
    }),
  );
  expect(second).toMatchObject({ certificate: first.certificate, missingPermissions: [] });
  expect(getKeys(appId)).toEqual([first.certificate?.thumbprint]);
  expect((await health(['exchange', 'teams'])).services.map(({ ok }) => ok)).toEqual([true, true]);
});

test('G69: consent from another tenant is refused before anything is created there', async () => {
  const { grant, connect, sent, office } = await aFixture();
  const code = await grant();
  sent.length = 0;
  expect(getKind(await connect(code, { directoryId: randomUUID() }))).toBe('refused');
  expect(getKind(await connect(code, { officeOrganizationName: 'other.example.net' }))).toBe(
    'refused',
  );
  expect(sent.filter((line) => !line.startsWith('GET'))).toEqual([]);
  expect(getKind(await connect(code, { officeOrganizationName: office.domain }))).toBe('ok');
});

test('ENG-50: connecting waits until Entra accepts the new certificate, and can be tried again if that takes long', async () => {
  const { grant, connect, through, office } = await aFixture();
  let refusals = 0;
  through(async (request, send) => {
    const isToken = request.url.endsWith('/token');
    if (!isToken || (refusals -= 1) < 0) return send(request);
    return Response.json(
      { error: 'invalid_client', error_description: 'AADSTS700027: planted' },
      { status: 401 },
    );
  });
  const code = await grant();
  refusals = 3;
  getValue(await connect(code));
  refusals = 0;
  const late = await grant();
  refusals = 1_000;
  expect(await connect(late, { newApplicationName: 'Late' })).toMatchObject({
    ok: false,
    error: { kind: 'busy' },
  });
  refusals = 0;
  const appId = getValue(await connect(late, { newApplicationName: 'Late' })).applicationId ?? '';
  expect(office.admin.findApplication(appId)?.keys).toHaveLength(1);
});

test('ENG-50: a connection that is cut off at any step goes on with the same application and certificate', async () => {
  const { grant, connect, cutAt, through, office, keysOf: getKeys, sent, pass } = await aFixture();
  const steps = [
    [/POST .*\/applications$/, 'after'],
    [/POST .*\/servicePrincipals$/, 'before'],
    [/POST .*\/servicePrincipals$/, 'after'],
    [/POST .*\/appRoleAssignments$/, 'after'],
  ] as const;
  const code = await grant();
  sent.length = 0;
  for (const [step, when] of steps) {
    cutAt(step, when);
    expect(getKind(await connect(code)), `${when} ${step.source}`).not.toBe('ok');
  }
  // A process that dies leaves the code claimed for a while.
  through(() => new Promise(() => undefined));
  sent.length = 0;
  connect(code).catch(() => undefined);
  await expect.poll(() => sent).toEqual(['GET /v1.0/organization']);
  through(null);
  expect(getKind(await connect(code))).toBe('busy');
  pass(180_000);
  const connected = getValue(await connect(code));
  expect(getKeys(connected.applicationId ?? '')).toEqual([connected.certificate?.thumbprint]);
  expect(sent).not.toContain('POST /v1.0/applications');
  expect(
    [...(office.admin.findApplication(connected.applicationId ?? '')?.roles ?? [])].sort(),
  ).toEqual(GRANTED);
});

test('ENG-50: a tenant that the caller refuses gets no application, and the code is good for another try', async () => {
  const { grant, connect, office, sent } = await aFixture();
  const code = await grant();
  sent.length = 0;
  const refuse = (message: string) => async (directoryId: string) => {
    expect(directoryId).toBe(office.id);
    return { ok: false as const, error: { kind: 'conflict' as const, message } };
  };
  expect(await connect(code, { accept: refuse('Taken.') })).toEqual({
    ok: false,
    error: { kind: 'conflict', message: 'Taken.' },
  });
  expect(sent.filter((request) => !request.startsWith('GET '))).toEqual([]);
  getValue(await connect(code));
});

test('ENG-49: a renewed certificate replaces the old one, and one of them works at any time', async () => {
  const {
    grant,
    connect,
    renew,
    cutAt,
    through,
    signsIn,
    keysOf: getKeys,
    codes,
  } = await aFixture();
  const connected = getValue(await connect(await grant()));
  const appId = connected.applicationId ?? '';
  const old = connected.certificate?.thumbprint ?? '';
  const code = await grant();
  // The first two break the change that adds the new key, the others the one that removes the old.
  for (const when of ['before', 'after', 'before', 'after'] as const) {
    cutAt(/^PATCH/, when);
    expect(getKind(await renew(code))).toBe('unreachable');
    through(null);
    expect(await signsIn()).toBe(true);
  }
  const renewed = getValue(await renew(code));
  expect(renewed.thumbprint).not.toBe(old);
  expect(getKeys(appId)).toEqual([renewed.thumbprint]);
  expect(await signsIn()).toBe(true);
  expect(await codes()).toEqual([]);
});

test('ENG-49: a certificate is not renewed for a secret, for another user or without a sign-in', async () => {
  const { grant, connect, renew, request, office, engine, scope } = await aFixture();
  expect(getKind(await renew(await grant()))).toBe('refused');
  const { appId, secret } = office.admin.registerApplication('Own', PERMISSIONS);
  getValue(
    await connect(null, {
      auth: 'modernLegacy',
      officeOrganizationName: office.domain,
      applicationId: appId,
      applicationSecret: secret,
    }),
  );
  expect(getKind(await renew(await grant()))).toBe('conflict');
  getValue(await connect(await grant()));
  expect(getKind(await renew((await request()).id))).toBe('conflict');
  const other = { ...scope, user: randomUUID() };
  expect(getKind(await engine.organizations.renewCertificate(other, { code: await grant() }))).toBe(
    'missing',
  );
});

test('G62: tokens, device codes and keys of a sign-in are in no row, line or answer in plain text', async () => {
  const { grant, connect, codes, lines, through, context, scope } = await aFixture();
  const secrets: string[] = [];
  through(async (request, send) => {
    const answer = await send(request);
    if (!/devicecode|token/.test(request.url)) return answer;
    const text = await answer.text();
    for (const [, secret = ''] of text.matchAll(
      /"(?:device_code|access_token|refresh_token)":"([^"]+)"/g,
    ))
      secrets.push(secret);
    return new Response(text, { status: answer.status, headers: answer.headers });
  });
  const code = await grant();
  const before = JSON.stringify(await codes());
  const connected = getValue(await connect(code));
  const stored = await context.store.tenant(scope.tenant, ({ sql }) =>
    sql.selectFrom('organization_access').selectAll().execute(),
  );
  expect(secrets.length).toBeGreaterThan(2);
  const seen = [before, JSON.stringify(stored), lines.join('\n'), JSON.stringify(connected)].join();
  for (const secret of [...secrets, 'PRIVATE KEY']) expect(seen.includes(secret)).toBe(false);
});
