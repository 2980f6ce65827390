import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, afterEach, expect, test } from 'vitest';
import { createDemoTenant } from '#server/demo/tenant/tenant.ts';
import { markRepositoriesFolder } from '#server/engine/embedded/repositories/shared-folder.ts';
import { noteStranded } from '#server/engine/embedded/proxies/note-stranded.ts';
import { checkMasterKey } from '#server/platform/crypto/check-master-key.ts';
import { openStore } from '#server/platform/db/open.ts';
import { job, organization, repository } from '../backup/fixtures.ts';
import { freshUrl, missing, plainUrl, QUIET } from '../db/databases.ts';
import { makeFixture } from '../http/fixtures.ts';
import { HERE, outside } from '../outbound/outside.ts';
import { anOffice } from '../sync/fixtures.ts';
import { expectNoErrors } from '../engine/restic/restic-reader.ts';

const folder = mkdtempSync(join(tmpdir(), 'daybook-proxies-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

interface Run {
  readonly child: ChildProcess;
  readText(): string;
  readonly exit: Promise<number | null>;
}

function start(args: readonly string[], env: Readonly<Record<string, string>>): Run {
  const child = spawn(process.execPath, ['--liftoff-only', 'server/proxy.ts', ...args], {
    env: { PATH: process.env['PATH'] ?? '', DAYBOOK_DATA: folder, ...env },
  });
  children.push(child);
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      text += String(chunk);
    });
  const exit = new Promise<number | null>((resolve) => void child.on('exit', resolve));
  return { child, readText: () => text, exit };
}

const isUp = async (run: Run): Promise<void> =>
  await expect
    .poll(() => run.readText(), { timeout: 120_000, interval: 50 })
    .toMatch(/is running\./);

test.skipIf(missing !== '')(
  `PRX-3: a proxy without PostgreSQL, with another key, a taken name or tables of another version ends with one sentence${missing}`,
  async () => {
    // It deletes the row of a migration.
    const url = await plainUrl();
    const store = await openStore({ ...QUIET, dataDir: '', databaseUrl: url });
    await checkMasterKey((await makeFixture({ ...HERE }, store)).context);
    const env = { DATABASE_URL: url, DAYBOOK_SECRET_KEY: HERE.secretKey };
    const first = start(['--name', 'north 1', '--pool', 'north'], env);
    await isUp(first);
    const refusals: readonly (readonly [readonly string[], Record<string, string>, RegExp])[] = [
      [['--name', 'x'], { DAYBOOK_SECRET_KEY: HERE.secretKey }, /needs the PostgreSQL database/],
      [['--name', 'x'], { DATABASE_URL: url }, /needs the servers' secret key/],
      [['--name', 'north 1'], env, /A proxy with the name north 1 is running/],
      [
        ['--name', 'x'],
        { ...env, DAYBOOK_SECRET_KEY: Buffer.alloc(32, 7).toString('base64url') },
        /secret key doesn't protect this database/,
      ],
    ];
    const runs = refusals.map(([args, more]) => start(args, more));
    for (const [n, run] of runs.entries()) {
      expect(await run.exit).toBe(1);
      expect(run.readText()).toMatch(refusals[n]?.[2] as RegExp);
      expect(run.readText().trim().split('\n')).toHaveLength(1);
    }
    for (const [args, sentence] of [
      [['--pool', 'x'], /^Name the proxy with --name/],
      [['--name', 'built-in'], /^Every server is the proxy Built-in/],
    ] as const) {
      const run = start(args, env);
      expect(await run.exit).toBe(2);
      expect(run.readText()).toMatch(sentence);
      expect(run.readText()).toContain('Usage: npm run proxy');
    }
    // A proxy that was killed doesn't hold its name.
    first.child.kill('SIGKILL');
    await first.exit;
    const again = start(['--name', 'north 1'], env);
    await isUp(again);
    again.child.kill('SIGTERM');
    expect(await again.exit).toBe(0);
    const states = await store.system(
      async (db) =>
        (await sql<{ state: string }>`select state from proxy_process`.execute(db)).rows,
    );
    expect(states).toEqual([{ state: 'left' }]);
    await store.system((db) =>
      sql`reset role`
        .execute(db)
        .then(() => sql`delete from migration where name = '0076'`.execute(db)),
    );
    const older = start(['--name', 'x'], env);
    expect(await older.exit).toBe(1);
    expect(older.readText()).toMatch(
      /older than this version of Daybook \(migration 0076 is missing\)/,
    );
    await store.close();
  },
);

const ROLES = [
  'Mail.Read',
  'Calendars.Read',
  'Contacts.Read',
  'Tasks.Read.All',
  'Files.Read.All',
  'User.Read.All',
  'Sites.Read.All',
  'Group.Read.All',
  'Organization.Read.All',
];

test.skipIf(missing !== '')(
  `PRX-4, PRX-5, PRX-6: work waits for its pool and says so, another proxy of the pool takes over from a killed one, one that is stopped hands its work back, and the restore point is whole${missing}`,
  async () => {
    const url = await freshUrl();
    const store = await openStore({ ...QUIET, dataDir: '', databaseUrl: url });
    /** Requests for mails wait while it is closed. */
    let gate: PromiseWithResolvers<void> | null = null;
    let held = 0;
    const gateway = await outside(async ({ method, path, headers, body }) => {
      const host = String(headers['x-forwarded-host']);
      if (gate !== null && path.includes('/messages')) {
        held += 1;
        await gate.promise;
      }
      const answer = await tenant.fetch(
        new Request(`https://${host}${path}`, {
          method,
          headers: Object.entries(headers).flatMap(([name, value]) =>
            typeof value === 'string' && name !== 'host' ? [[name, value]] : [],
          ),
          ...(body !== '' && { body }),
        }),
      );
      return {
        status: answer.status,
        headers: Object.fromEntries(answer.headers),
        body: Buffer.from(await answer.arrayBuffer()),
      };
    });
    const fixture = await makeFixture(
      { ...HERE, repositoriesDir: folder, graph: gateway.url },
      store,
    );
    // Proxies have the clock of the machine.
    fixture.pass(Date.now() - fixture.context.clock.now());
    const { context } = fixture;
    await checkMasterKey(context);
    await markRepositoriesFolder(context);
    const tenant = createDemoTenant({
      file: null,
      seed: 5,
      now: () => Date.now(),
      size: { people: 3, minMails: 4, maxMails: 6, minFiles: 1, maxFiles: 2, maxFileBytes: 5_000 },
    });
    const { appId, secret } = tenant.admin.registerApplication('Backup', ROLES);
    const office = await anOffice(fixture);
    const admin = await office.as('admin', ['o365_admin']);
    const create = async (path: string, body: object): Promise<string> => {
      const { status, text, body: made } = await admin<{ id: string }>('POST', path, body);
      if (status !== 200) throw new Error(text);
      return made.data.id;
    };
    const organizationId = await create(
      'o365/organizations',
      organization(1, {
        authType: 'modernLegacy',
        userCode: undefined,
        exchangeOnlineSettings: {
          applicationId: appId,
          applicationSecret: secret,
          officeOrganizationName: tenant.domain,
        },
      }),
    );
    const repositoryId = await create(
      'o365/repositories',
      repository(organizationId, { proxy: { kind: 'pool', id: 'north' } }),
    );
    const jobId = await create('o365/jobs', job(organizationId, repositoryId, { runNow: true }));

    // Nobody of the pool is there.
    await noteStranded(context)(context.clock.now() + 60_000);
    await noteStranded(context)(context.clock.now() + 60_000);
    interface Latest {
      readonly session: { readonly state: string } | null;
    }
    const latest = async () =>
      (await admin<Latest>('GET', `o365/jobs/${jobId}/detail/latest`)).body.data.session;
    expect(await latest()).toMatchObject({
      progress: { waiting: { until: null, reason: 'No proxy of the pool north is available.' } },
    });
    const log = () =>
      store.tenant(
        office.tenant,
        async (tx) =>
          (
            await tx.sql
              .selectFrom('backup_log')
              .select('message')
              .where('tenant_id', '=', tx.tenant)
              .orderBy('n')
              .execute()
          ).map(({ message }) => message),
        { readOnly: true },
      );
    expect(await log()).toEqual([
      'The session started.',
      'No proxy of the pool north is available.',
    ]);

    const env = {
      DATABASE_URL: url,
      DAYBOOK_SECRET_KEY: HERE.secretKey,
      DAYBOOK_REPOSITORIES: folder,
      DAYBOOK_GRAPH: gateway.url,
      DAYBOOK_OUTBOUND_ALLOW: HERE.outbound.allow.join(','),
      DAYBOOK_OUTBOUND_HTTP: '1',
    };
    const owners = async () =>
      store.system(async (db) =>
        (
          await sql<{ name: string | null }>`
              select p.name from background_job as j left join proxy_process as p on p.owner = j.lease_owner
              where j.type = 'backup-session' and j.lease_owner is not null`.execute(db)
        ).rows.map(({ name }) => name),
      );
    const closed = Promise.withResolvers<void>();
    gate = closed;
    const south = start(['--name', 'south', '--pool', 'south'], env);
    const killed = start(['--name', 'north 1', '--pool', 'north'], env);
    await Promise.all([isUp(south), isUp(killed)]);
    await expect.poll(() => held, { timeout: 60_000 }).toBeGreaterThan(0);
    expect(await owners()).toEqual(['north 1']);
    killed.child.kill('SIGKILL');
    await killed.exit;
    held = 0;
    const stopped = start(['--name', 'north 2', '--pool', 'north'], env);
    await isUp(stopped);
    await expect.poll(() => held, { timeout: 120_000 }).toBeGreaterThan(0);
    expect(await owners()).toEqual(['north 2']);
    const last = start(['--name', 'north 3', '--pool', 'north'], env);
    await isUp(last);
    stopped.child.kill('SIGTERM');
    expect(await stopped.exit).toBe(0);
    gate = null;
    closed.resolve();
    await expect
      .poll(async () => (await latest())?.state, { timeout: 180_000, interval: 200 })
      .toBe('done');
    expect(await latest()).toMatchObject({ status: 'Success' });
    const points = await store.tenant(office.tenant, (tx) =>
      sql<{ n: number }>`
        select count(*)::int as n from restore_point where tenant_id = ${tx.tenant}`.execute(
        tx.sql,
      ),
    );
    expect(points.rows).toEqual([{ n: 1 }]);
    const mails = await store.tenant(office.tenant, (tx) =>
      sql<{ key: string; n: number }>`
        select key, count(*)::int as n from item where tenant_id = ${tx.tenant} and kind = 'mail' group by key`.execute(
        tx.sql,
      ),
    );
    expect(mails.rows.length).toBeGreaterThanOrEqual(12);
    expect(mails.rows.filter(({ n }) => n !== 1)).toEqual([]);
    await expectNoErrors({ folder: join(folder, repositoryId), password: 'correct horse' });
    expect(
      (await admin<{ rows: { name: string }[] }>('GET', 'o365/proxies')).body.data.rows
        .map(({ name }) => name)
        .sort(),
    ).toEqual(['Built-in', 'north 1', 'north 2', 'north 3', 'south']);
    await store.close();
  },
);
