import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { makeCloudConnection } from '#server/engine/embedded/cloud.ts';
import { createCertificate } from '#server/engine/embedded/graph/certificate.ts';
import { waitClock } from '#server/engine/embedded/graph/clock.ts';
import { checkTenant } from '#server/engine/embedded/tenant-check/check-tenant.ts';
import {
  readTenantCheckOptions,
  type TenantCheckOptions,
} from '#server/engine/embedded/tenant-check/options.ts';
import {
  EXIT_CODES,
  printReport,
  type TenantReport,
} from '#server/engine/embedded/tenant-check/report.ts';
import { createDemoTenant } from '#server/demo/tenant/tenant.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { systemClock } from '#server/platform/clock.ts';
import { systemChance } from '#server/platform/random.ts';
import { HERE, outside, type Outside } from '../../outbound/outside.ts';

/**
 * What backups read, by service: the least application permissions of the methods that they call, in
 * Microsoft's reference (learn.microsoft.com/graph/permissions-reference).
 */
const DIRECTORY = ['User.Read.All', 'Group.Read.All', 'Organization.Read.All'];
/** Jobs that select people by groups read their hidden members with it. */
const HIDDEN = 'Member.Read.Hidden';
const EXCHANGE = [
  'Mail.Read',
  'Calendars.Read',
  'Contacts.Read',
  'Tasks.Read.All',
  'MailboxItem.Export.All',
];
const ALL = [
  ...DIRECTORY,
  HIDDEN,
  ...EXCHANGE,
  'Files.Read.All',
  'Sites.Read.All',
  'TeamSettings.Read.All',
  'TeamMember.Read.All',
  'Channel.ReadBasic.All',
  'ChannelMember.Read.All',
  'TeamsTab.Read.All',
  'ChannelMessage.Read.All',
];
const DAY = 86_400_000;

const tenant = createDemoTenant({
  file: null,
  seed: 5,
  now: () => Date.now(),
  size: { people: 6, minMails: 4, maxMails: 6, minFiles: 1, maxFiles: 2, maxFileBytes: 5_000 },
});
const folder = mkdtempSync(join(tmpdir(), 'daybook-check-tenant-'));
afterAll(() => {
  tenant.close();
  rmSync(folder, { recursive: true, force: true });
});

type Change = (host: string, path: string) => Partial<{ status: number; body: string }> | null;
let gateway: Outside;
/** Answers that differ from the tenant's, and how far Microsoft's clock is from ours. */
let change: Change = () => null;
let aheadMs = 0;
beforeAll(async () => {
  gateway = await outside(async ({ method, path, headers, body }) => {
    const host = String(headers['x-forwarded-host']);
    const date = { date: new Date(Date.now() + aheadMs).toUTCString() };
    const changed = change(host, path);
    if (changed) return { ...changed, headers: date };
    // Every other host of the clouds answers, but knows no such tenant.
    const answer = await tenant
      .fetch(
        new Request(`https://${host}${path}`, {
          method,
          headers: Object.entries(headers).flatMap(([name, value]) =>
            typeof value === 'string' && name !== 'host' ? [[name, value]] : [],
          ),
          ...(body !== '' && { body }),
        }),
      )
      .catch(() => Response.json({ error: 'invalid_tenant' }, { status: 400 }));
    return {
      status: answer.status,
      headers: { ...Object.fromEntries(answer.headers), ...date },
      body: Buffer.from(await answer.arrayBuffer()),
    };
  });
});
beforeEach(() => {
  change = () => null;
  aheadMs = 0;
});

const register = (roles: readonly string[] = ALL) =>
  tenant.admin.registerApplication('Backup', roles);

const check = (
  { appId, secret }: { readonly appId: string; readonly secret: string },
  over: Partial<TenantCheckOptions> = {},
  graph = gateway.url,
): Promise<TenantReport> => {
  const context = { config: { ...HERE, graph } } as unknown as AppContext;
  const cloud = makeCloudConnection(() => context);
  return checkTenant(
    {
      fetch: (request) => cloud.fetch(request),
      clock: waitClock(systemClock),
      random: () => 0.5,
    },
    {
      directory: tenant.domain,
      applicationId: appId,
      region: 'Worldwide',
      services: ['exchange', 'sharepoint', 'teams', 'teamsChats'],
      credential: { kind: 'secret', secret },
      isRestoreNeeded: false,
      isJson: false,
      ...over,
    },
  );
};

const failures = ({ findings }: TenantReport) =>
  findings.filter(({ status }) => status === 'failed');
const certificateFor = async (appId: string, from: number) => {
  const made = await createCertificate(systemChance, from, { name: 'Backup', days: 730 });
  tenant.admin.addCertificate(appId, Buffer.from(made.der, 'base64'));
  const { certificate, privateKey } = made;
  return { kind: 'certificate' as const, certificate, privateKey };
};

test('ENG-120: a good tenant is ready: each permission granted, each kind of data read, users counted, nothing written', async () => {
  const { appId, secret } = register();
  const before = tenant.admin.requests().length;
  const report = await check(
    { appId, secret },
    { credential: await certificateFor(appId, Date.now() - 100 * DAY) },
  );
  expect(failures(report)).toEqual([]);
  expect(report).toMatchObject({ result: 'ready', missingPermissions: [] });
  const people = tenant.admin.listUsers();
  expect(report.users).toEqual({
    total: people.length,
    licensed: people.filter(({ mailbox }) => mailbox === 'user').length,
  });
  const granted = report.findings.flatMap(({ permission, status, message }) =>
    status === 'ok' && message.endsWith('is granted.') ? [permission] : [],
  );
  expect(granted.toSorted((a = '', b = '') => a.localeCompare(b))).toEqual(
    ALL.toSorted((a, b) => a.localeCompare(b)),
  );
  const text = printReport(report).join('\n');
  for (const read of [
    /Mails: readable, also only what changed/,
    /Calendars: readable/,
    /Contacts: readable, also/,
    /Tasks: readable, also/,
    /OneDrive: readable, also/,
    /Sites: readable/,
    /Lists: readable/,
    /Channels: readable/,
    /Posts: readable, also/,
    /outlook\.office365\.com answers/,
    /demo-my\.sharepoint\.com answers|sharepoint\.com answers/,
    /No request of \d+ was throttled/,
    /certificate is valid until/,
    /Ready for backups\.$/,
  ])
    expect(text).toMatch(read);
  expect(text).not.toMatch(/warning/);
  // Only sign-ins are posted.
  const sent = tenant.admin.requests().slice(before);
  expect(sent.length).toBeGreaterThan(10);
  const writes = gateway.asked.filter(
    ({ method, path }) => method !== 'GET' && !path.endsWith('/oauth2/v2.0/token'),
  );
  expect(writes).toEqual([]);
  expect(JSON.stringify(report)).not.toContain(secret);
});

test('ENG-120: each missing permission is named alone with the link to consent, and what needs it is not read', async () => {
  const lacking = ['Calendars.Read', 'ChannelMessage.Read.All', 'Files.Read.All', 'Sites.Read.All'];
  const application = register(ALL.filter((one) => !lacking.includes(one)));
  const report = await check(application);
  expect(report.missingPermissions.toSorted()).toEqual(lacking.toSorted());
  for (const permission of lacking) {
    const named = failures(report).filter((one) => one.permission === permission);
    expect(named).toHaveLength(1);
    expect(named[0]?.link).toBe(
      `https://login.microsoftonline.com/${tenant.domain}/adminconsent?client_id=${application.appId}`,
    );
  }
  expect(failures(report)).toHaveLength(lacking.length);
  expect(EXIT_CODES[report.result]).toBe(1);
  expect(printReport(report).join('\n')).toMatch(/Not ready: 4 checks failed\./);
  // One that includes another grants it.
  const wider = register([
    ...ALL.filter((one) => one !== 'Mail.Read' && one !== 'Files.Read.All'),
    'Mail.ReadWrite',
  ]);
  expect((await check(wider)).missingPermissions).toEqual([]);
});

test('ENG-120: without the permission for hidden members, a tenant is ready with a warning', async () => {
  const report = await check(register(ALL.filter((one) => one !== HIDDEN)));
  expect(report).toMatchObject({ result: 'ready', missingPermissions: [] });
  const [warning, ...others] = report.findings.filter(
    ({ status, permission }) => status === 'warning' && permission !== undefined,
  );
  expect(others).toEqual([]);
  expect(warning).toMatchObject({ area: 'directory', permission: HIDDEN });
  expect(warning?.link).toContain('/adminconsent?');
});

test('ENG-120: permissions of restores are named, and are failures only if they are asked for; surplus ones are warnings', async () => {
  const application = register([...ALL, 'Directory.ReadWrite.All', 'Channel.Create']);
  const report = await check(application);
  expect(report.result).toBe('ready');
  const restore = report.findings.filter(({ area }) => area === 'restore');
  const later = (permission: string) =>
    restore.find((one) => one.permission === permission)?.status;
  expect([later('Mail.ReadWrite'), later('Channel.Create')]).toEqual(['skipped', 'ok']);
  const needed = await check(application, { isRestoreNeeded: true });
  expect(failures(needed).map(({ permission }) => permission)).toContain('Mail.ReadWrite');
  const surplus = await check(register([...ALL, 'Application.ReadWrite.All']));
  expect(
    surplus.findings.filter(({ status, permission }) => status === 'warning' && permission),
  ).toEqual([expect.objectContaining({ permission: 'Application.ReadWrite.All' })]);
});

test('ENG-120: a wrong secret, a foreign key and an expired certificate are told apart', async () => {
  const application = register();
  const wrong = await check({ ...application, secret: 'not-the-secret' });
  expect(failures(wrong)).toEqual([
    expect.objectContaining({ area: 'signIn', message: expect.stringMatching(/secret/) as string }),
  ]);
  expect(JSON.stringify(wrong)).not.toContain('not-the-secret');
  const unknown = await check({ ...application, appId: crypto.randomUUID() });
  expect(failures(unknown)[0]?.message).toMatch(/application does not exist/);
  const expired = await certificateFor(application.appId, Date.now() - 800 * DAY);
  expect(failures(await check(application, { credential: expired }))).toEqual([
    expect.objectContaining({
      area: 'credential',
      message: expect.stringMatching(/expired on \d{4}-\d\d-\d\d/) as string,
    }),
  ]);
  const ending = await certificateFor(application.appId, Date.now() - 720 * DAY);
  const soon = await check(application, { credential: ending });
  expect(soon.result).toBe('ready');
  expect(printReport(soon).join('\n')).toMatch(/warning +Credential: The certificate ends on/);
  const { privateKey } = await createCertificate(systemChance, Date.now(), { name: 'x', days: 9 });
  const foreign = await check(application, { credential: { ...ending, privateKey } });
  expect(failures(foreign)[0]?.message).toMatch(/private key isn't the one/);
});

test('ENG-120: the right cloud of a tenant is named: it answers elsewhere, or its description names another', async () => {
  const application = register();
  const elsewhere = await check(application, { region: 'China' });
  expect(failures(elsewhere)[0]?.message).toBe(
    'The tenant is in another cloud. Use --region Worldwide.',
  );
  change = (_, path) =>
    path.includes('openid-configuration')
      ? {
          body: JSON.stringify({
            issuer: 'https://login.microsoftonline.us/x/v2.0',
            msgraph_host: 'dod-graph.microsoft.us',
          }),
        }
      : null;
  const described = await check(application, { region: 'USGovernmentGCCHigh' });
  expect(failures(described)[0]?.message).toMatch(/Use --region USGovernmentDoD/);
  change = () => null;
  const nowhere = await check(application, { directory: 'nobody.example.org' });
  expect(failures(nowhere)[0]?.message).toMatch(/doesn't know the tenant/);
});

test('ENG-120: a clock that is minutes off is a warning, one that is further off a failure', async () => {
  const application = register();
  aheadMs = -120_000;
  const minutes = await check(application);
  expect(minutes.result).toBe('ready');
  expect(Math.abs((minutes.clockAheadMs ?? 0) - 120_000)).toBeLessThan(15_000);
  expect(printReport(minutes).join('\n')).toMatch(/warning +Clock: .*differs by 1\d\d seconds/);
  aheadMs = 15 * 60_000;
  const far = await check(application);
  expect(failures(far).map(({ area }) => area)).toEqual(['clock']);
  // The rest is checked all the same.
  expect(far.users).not.toBeNull();
});

test('ENG-120: a protected API, a host that does not answer and throttling are named', async () => {
  const application = register();
  change = (_, path) =>
    /\/messages\/delta/.test(path) && path.startsWith('/v1.0/teams')
      ? { status: 403, body: JSON.stringify({ error: { code: 'Forbidden', message: 'no' } }) }
      : null;
  const refused = await check(application);
  expect(failures(refused)).toEqual([
    expect.objectContaining({
      area: 'teamsChats',
      link: 'https://learn.microsoft.com/graph/teams-protected-apis',
    }),
  ]);
  let first = true;
  change = (_, path) => {
    if (!path.includes('/calendars') || !first) return null;
    first = false;
    return { status: 429, body: '{"error":{"code":"TooManyRequests"}}' };
  };
  const throttled = await check(application);
  expect(throttled.result).toBe('ready');
  expect(printReport(throttled).join('\n')).toMatch(/1 of \d+ requests were throttled/);
});

test('ENG-120: without a network, nothing else is tried, and the exit code says so', async () => {
  const gone = await outside(() => ({}));
  await gone.stop();
  const report = await check(register(), {}, gone.url);
  expect(report.result).toBe('unreachable');
  expect(EXIT_CODES[report.result]).toBe(3);
  expect(failures(report)).toHaveLength(1);
  expect(printReport(report).at(-1)).toMatch(/Nothing was checked/);
});

test('ENG-120: a secret is never read from the command line, and what is wrong there is one sentence without it', () => {
  const base = { tenant: 'a.example.com', application: 'x' };
  for (const [values, env, sentence] of [
    [{ tenant: '', application: 'x' }, {}, /^Name the tenant/],
    [base, {}, /^Name a certificate/],
    [base, { DAYBOOK_TENANT_SECRET: ' ' }, /The secret is empty/],
    [{ ...base, region: 'planted' }, {}, /USGovernmentDoD/],
    [{ ...base, services: 'exchange,planted' }, {}, /teamsChats/],
    [{ ...base, 'secret-file': join(folder, 'none') }, {}, /can't be read/],
    [{ ...base, certificate: 'package.json' }, {}, /no certificate/],
    [{ ...base, 'certificate': 'package.json', 'secret-file': 'x' }, {}, /either/],
  ] as const) {
    const read = readTenantCheckOptions(values, env);
    expect(read).toMatch(sentence);
    expect(read).not.toContain('planted');
  }
});

interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}
const run = (args: readonly string[], env: Readonly<Record<string, string>>): Promise<Ended> =>
  new Promise((resolve) => {
    execFile(
      process.execPath,
      ['server/check-tenant.ts', ...args],
      {
        env: {
          PATH: process.env['PATH'] ?? '',
          DAYBOOK_GRAPH: gateway.url,
          DAYBOOK_OUTBOUND_ALLOW: HERE.outbound.allow.join(','),
          DAYBOOK_OUTBOUND_HTTP: '1',
          ...env,
        },
      },
      (error, out, err) => resolve({ code: Number(error?.code ?? 0), out, err }),
    );
  });

test('ENG-120: the command prints for people and as JSON, with its exit codes', async () => {
  const { appId, secret } = register();
  const file = join(folder, 'secret');
  writeFileSync(file, `${secret}\n`);
  const base = ['--tenant', tenant.domain, '--application', appId];
  const good = await run([...base, '--secret-file', file, '--json'], {});
  expect(good.err).toBe('');
  expect(good.code).toBe(0);
  expect(JSON.parse(good.out)).toMatchObject({
    version: 1,
    result: 'ready',
    tenant: tenant.domain,
  });
  const bad = await run(base, { DAYBOOK_TENANT_SECRET: 'planted' });
  expect(bad.code).toBe(1);
  expect(bad.out).toMatch(/FAILED +Sign-in: /);
  expect(bad.out).not.toContain('planted');
  for (const [args, sentence] of [
    [
      ['--secret', 'planted'],
      /^Put the secret in DAYBOOK_TENANT_SECRET .* never on the command line/,
    ],
    [['--secret=planted'], /^Put the secret in DAYBOOK_TENANT_SECRET .* never on the command line/],
    [['planted'], /^Too many arguments: this command takes only options\./],
  ] as const) {
    const wrong = await run([...base, ...args], {});
    expect([wrong.code, wrong.out]).toEqual([2, '']);
    expect(wrong.err).toMatch(sentence);
    expect(wrong.err).not.toContain('planted');
  }
});
