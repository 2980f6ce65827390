import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readConfig } from '#server/platform/config.ts';
import type { ServerOptions } from '#server/platform/config.ts';
import { firstStart } from '#server/first-start.ts';
import { eachDatabase, freshStore } from '../db/databases.ts';
import { getApp, login, makeFixture } from '../http/fixtures.ts';

let dataDir: string;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'daybook-data-'));
});
afterEach(() => {
  rmSync(dataDir, { recursive: true });
});

eachDatabase((name) => {
  test('START-1: the first start creates a provider, a company and an administrator, and every start shows its password while the file exists', async () => {
    const fixture = await makeFixture({ dataDir }, await freshStore(name));
    const { context } = fixture;
    const made = await firstStart(context, null);
    expect(made).toEqual({
      username: 'admin',
      password: expect.stringMatching(/^([a-z2-9]{5}-){3}[a-z2-9]{5}$/),
    });
    const file = join(dataDir, 'administrator.txt');
    expect([
      statSync(file).mode & 0o777,
      readFileSync(file, 'utf8').includes(made?.password ?? 'none'),
    ]).toEqual([0o600, true]);
    expect(fixture.lines.join('')).not.toContain(made?.password);
    const session = await login(getApp(context), 'any.host:4300', 'admin', made?.password);
    expect(session.body.data.user).toMatchObject({
      name: 'Administrator',
      email: 'admin@example.com',
      roles: ['admin', 'operator', 'super-admin'],
      companies: null,
    });

    expect(await firstStart(context, 'another password')).toEqual(made);
    // The folder of another server on this database, whose start was overtaken: its password opens
    // nothing and is not shown.
    const elsewhere = mkdtempSync(join(tmpdir(), 'daybook-data-'));
    writeFileSync(
      join(elsewhere, 'administrator.txt'),
      'username: admin\npassword: another-password\n',
    );
    expect(
      await firstStart({ ...context, config: { ...context.config, dataDir: elsewhere } }, null),
    ).toBeNull();
    rmSync(elsewhere, { recursive: true });
    rmSync(file);
    expect(await firstStart(context, null)).toBeNull();
    const [tenant = ''] = await context.store.tenants();
    const rows = await context.store.tenant(tenant, async (tx) => ({
      companies: await tx.all('company'),
      users: await tx.all('user'),
    }));
    expect([rows.companies.map((one) => one.name), rows.users.length]).toEqual([
      ['First company'],
      1,
    ]);
  });
});

test('START-1: a password from the environment is used, and an interrupted start is completed by the next', async () => {
  const { context } = await makeFixture({ dataDir }, await freshStore('pglite'));
  const broken = {
    ...context,
    store: {
      ...context.store,
      tenant: async () => {
        throw new Error('cut');
      },
    },
  } as typeof context;
  await context.store.tenants();
  await expect(firstStart(broken, 'the wanted password')).rejects.toThrow('cut');
  expect(await firstStart(context, 'the wanted password')).toEqual({
    username: 'admin',
    password: 'the wanted password',
  });
  expect((await login(getApp(context), 'x', 'admin', 'the wanted password')).status).toBe(200);
});

test('START-2: settings come from the environment, and an invalid one is named', () => {
  const plain = readConfig({}, '/srv/daybook') as ServerOptions;
  expect(plain).toMatchObject({
    hostname: '127.0.0.1',
    demoPassword: null,
    config: {
      port: 4300,
      databaseUrl: null,
      pageDir: join('/srv/daybook', 'dist'),
      trustedProxies: [],
    },
  });
  expect(
    readConfig(
      {
        PORT: '0',
        HOST: '0.0.0.0',
        DAYBOOK_DATA: '/d',
        DATABASE_URL: 'postgres://x',
        DAYBOOK_TRUSTED_PROXIES: '10.0.0.0/8, ::1',
      },
      '/',
    ),
  ).toMatchObject({
    hostname: '0.0.0.0',
    config: {
      port: 0,
      dataDir: '/d',
      databaseUrl: 'postgres://x',
      trustedProxies: ['10.0.0.0/8', '::1'],
    },
  });
  expect(
    readConfig(
      {
        DAYBOOK_OUTBOUND_ALLOW: '10.0.0.0/8, fd00::/8',
        DAYBOOK_OUTBOUND_HTTP: '1',
        DAYBOOK_PUSH_ALLOW: '10.1.0.0/16',
      },
      '/',
    ),
  ).toMatchObject({
    config: { outbound: { allow: ['10.0.0.0/8', 'fd00::/8'], http: true, push: ['10.1.0.0/16'] } },
  });
  expect(plain.config.outbound).toEqual({ allow: [], http: false, push: [] });
  expect(
    [{}, { DAYBOOK_FLUSH: 'on' }, { DAYBOOK_FLUSH: 'off' }].map(
      (env) => (readConfig(env, '/') as ServerOptions).config.flushes,
    ),
  ).toEqual([true, true, false]);
  expect(readConfig({ DAYBOOK_FLUSH: 'never' }, '/')).toContain('DAYBOOK_FLUSH');
  expect([
    readConfig({ DAYBOOK_OUTBOUND_ALLOW: 'intern.example' }, '/'),
    readConfig({ DAYBOOK_SECRET_KEY: 'short' }, '/'),
    readConfig({ DAYBOOK_SECRET_KEY: `${'A'.repeat(43)},` }, '/'),
  ]).toEqual([
    expect.stringContaining('intern.example'),
    expect.stringContaining('DAYBOOK_SECRET_KEY'),
    expect.stringContaining('DAYBOOK_SECRET_KEY'),
  ]);
  expect([
    readConfig({ PORT: 'x' }, '/'),
    readConfig({ PORT: '70000' }, '/'),
    readConfig({ DAYBOOK_TRUSTED_PROXIES: '10.0.0.0/33' }, '/'),
    readConfig({ DAYBOOK_DEMO_PASSWORD: 'x'.repeat(129) }, '/'),
    readConfig({ DAYBOOK_GRAPH: 'https://graph.example.net/v1.0' }, '/'),
    readConfig({ DAYBOOK_GRAPH: 'graph.example.net' }, '/'),
  ]).toEqual([
    expect.stringContaining('PORT'),
    expect.stringContaining('PORT'),
    expect.stringContaining('10.0.0.0/33'),
    expect.stringContaining('DAYBOOK_DEMO_PASSWORD'),
    expect.stringContaining('DAYBOOK_GRAPH'),
    expect.stringContaining('DAYBOOK_GRAPH'),
  ]);
  expect(readConfig({ DAYBOOK_GRAPH: 'https://graph.example.net' }, '/')).toMatchObject({
    config: { graph: 'https://graph.example.net' },
  });
});

const readLimits = (env: Record<string, string>): unknown => {
  const settings = readConfig(env, '/');
  return typeof settings === 'string' ? settings : settings.connections;
};

test('START-2, HTTP-20: the limits of connections are whole numbers from 10 to 1,000,000, and the configuration page states the defaults', () => {
  const page = readFileSync(join(import.meta.dirname, '../../../docs/configuration.md'), 'utf8');
  const stated = (name: string): number =>
    Number(new RegExp(`^\\| \`${name}\` \\|.*\\| (\\d+) \\|$`, 'm').exec(page)?.[1]);
  expect(readLimits({})).toEqual({
    connections: stated('DAYBOOK_CONNECTIONS'),
    connectionsPerAddress: stated('DAYBOOK_CONNECTIONS_PER_ADDRESS'),
  });
  // Seven connections for each browser of an office, as it says there.
  expect(stated('DAYBOOK_CONNECTIONS_PER_ADDRESS')).toBeGreaterThanOrEqual(290 * 7);
  expect([
    readLimits({ DAYBOOK_CONNECTIONS: '10', DAYBOOK_CONNECTIONS_PER_ADDRESS: '1000000' }),
    readLimits({ DAYBOOK_CONNECTIONS: ' 500 ', DAYBOOK_CONNECTIONS_PER_ADDRESS: '' }),
  ]).toEqual([
    { connections: 10, connectionsPerAddress: 1_000_000 },
    { connections: 500, connectionsPerAddress: stated('DAYBOOK_CONNECTIONS_PER_ADDRESS') },
  ]);
  for (const name of ['DAYBOOK_CONNECTIONS', 'DAYBOOK_CONNECTIONS_PER_ADDRESS']) {
    for (const wrong of ['9', '0', '-1', '1000001', '12.5', 'many', 'NaN', 'Infinity', '1,000'])
      expect(readLimits({ [name]: wrong })).toBe(
        `${name} must be a whole number from 10 to 1000000.`,
      );
  }
});

const readArchive = (env: Record<string, string>): unknown => {
  const settings = readConfig(env, '/');
  if (typeof settings === 'string') return settings;
  return [settings.config.archiveAfterDays, settings.config.archiveDir];
};

test('START-2, ARCH-1: events are archived after 400 days or more, and never by default; servers on one database must share a folder', () => {
  const days = 'DAYBOOK_ARCHIVE_AFTER_DAYS';
  const shared = { [days]: '730', DATABASE_URL: 'postgres://localhost/daybook' };
  expect(readArchive({})).toEqual([0, null]);
  expect(readArchive({ DATABASE_URL: shared.DATABASE_URL })).toEqual([0, null]);
  expect(readArchive({ [days]: '0' })).toEqual([0, null]);
  expect(readArchive({ [days]: '400' })).toEqual([400, null]);
  expect(readArchive({ ...shared, DAYBOOK_ARCHIVE: '/srv/archive' })).toEqual([
    730,
    '/srv/archive',
  ]);
  expect(readArchive(shared)).toMatch(/^DAYBOOK_ARCHIVE must name/);
  for (const wrong of ['399', '1', '-400', '400.5', 'never', '36501'])
    expect(readArchive({ [days]: wrong })).toMatch(/^DAYBOOK_ARCHIVE_AFTER_DAYS must be/);
});

const readDeleteLogs = (env: Record<string, string>): unknown => {
  const settings = readConfig(env, '/');
  return typeof settings === 'string' ? settings : settings.config.deleteLogsAfterDays;
};

test('START-2, LOG-14: logs are deleted after 31 days or more, and never by default', () => {
  const days = 'DAYBOOK_DELETE_LOGS_AFTER_DAYS';
  expect(
    [{}, { [days]: '0' }, { [days]: '31' }, { [days]: ' 36500 ' }].map(readDeleteLogs),
  ).toEqual([0, 0, 31, 36_500]);
  for (const wrong of ['30', '1', '-31', '31.5', 'never', '36501'])
    expect(readDeleteLogs({ [days]: wrong })).toMatch(/^DAYBOOK_DELETE_LOGS_AFTER_DAYS must be/);
});

const loadDemo = (option: string | null, env: Record<string, string> = {}): unknown => {
  const read = readConfig(env, '/', option);
  return typeof read === 'string' ? read : read.demo;
};

test('START-2, EST-9: the demo size comes from an option or the environment, the option first; an unknown one is named', () => {
  expect([
    loadDemo(null),
    loadDemo('medium'),
    loadDemo(null, { DAYBOOK_ESTATE: 'none' }),
    loadDemo('small', { DAYBOOK_ESTATE: 'none' }),
  ]).toEqual([null, 'medium', 'none', 'small']);
  expect(loadDemo(null, { DAYBOOK_ESTATE: 'x' })).toEqual(expect.stringContaining('"x"'));
});
