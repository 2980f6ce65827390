import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { createDemoTenant } from '#server/demo/tenant/tenant.ts';
import { allJobs } from '#server/jobs.ts';
import { makeJobRunner } from '#server/platform/jobs/runner.ts';
import { freshStore, ONE } from '../db/databases.ts';
import { makeFixture } from '../http/fixtures.ts';
import { anOffice } from '../sync/fixtures.ts';
import { job, organization, repository } from './fixtures.ts';

const folder = mkdtempSync(join(tmpdir(), 'daybook-suite-'));
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
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

test('SUITE-3, SUITE-4, SUITE-5: by calls alone, a tenant is connected and backed up by the real engine, and its repository deleted', async () => {
  const fixture = await makeFixture({ repositoriesDir: folder }, await freshStore(ONE));
  const { context } = fixture;
  const tenant = createDemoTenant({
    file: null,
    seed: 3,
    now: () => context.clock.now(),
    size: {
      people: 3,
      minMails: 3,
      maxMails: 5,
      minFiles: 1,
      maxFiles: 2,
      maxFileBytes: 5_000,
    },
  });
  context.cloud.connectTo((request) => tenant.fetch(request));
  const { appId, secret } = tenant.admin.registerApplication('Backup', ROLES);
  const office = await anOffice(fixture);
  const admin = await office.as('admin', ['o365_admin']);
  const create = async (path: string, body: object): Promise<string> =>
    (await admin<{ id: string }>('POST', path, body)).body.data.id;
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
  expect(
    (await admin('GET', `o365/organizations/${organizationId}/users`)).body.data,
  ).toMatchObject({ count: 3 });
  const repositoryId = await create('o365/repositories', repository(organizationId));
  const jobId = await create('o365/jobs', job(organizationId, repositoryId, { runNow: true }));
  await makeJobRunner(context, {
    'backup-session': allJobs(context)['backup-session'],
  }).tick();
  expect((await admin('GET', `o365/jobs/${jobId}`)).body.data).toMatchObject({
    lastStatus: 'Success',
    lastBackup: context.clock.now(),
  });
  const latest = await admin<{ session: { status: string }; logs: unknown[] }>(
    'GET',
    `o365/jobs/${jobId}/detail/latest`,
  );
  expect(latest.body.data).toMatchObject({ session: { status: 'Success', reason: 'manual' } });
  expect(latest.body.data.logs.length).toBeGreaterThan(1);
  expect((await admin('GET', `o365/organizations/${organizationId}`)).body.data).toMatchObject({
    isBackedup: true,
    protected: 3,
    objects: 3,
  });
  const path = join(folder, repositoryId);
  const packs = readdirSync(join(path, 'data'), { recursive: true, withFileTypes: true });
  const usedBytes = packs
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
  expect(usedBytes).toBeGreaterThan(1_000);
  expect((await admin('GET', 'o365/repositories')).body.data).toMatchObject({
    rows: [{ points: 1, usedBytes }],
  });

  // Deleted with its job, the repository goes after a week, once nobody reads it.
  const session = await admin<{ id: string }>('POST', 'o365/restore/restoresessions', {
    organizationId,
    datetime: context.clock.now(),
    sessionType: 'Vex',
  });
  await admin('DELETE', `o365/jobs/${jobId}`);
  expect((await admin('DELETE', `o365/repositories/${repositoryId}`)).status).toBe(200);
  const jobs = makeJobRunner(context, {
    'upkeep': allJobs(context).upkeep,
    'repository-deletion': allJobs(context)['repository-deletion'],
  });
  const pass = async (ms: number): Promise<void> => {
    fixture.pass(ms);
    for (let turns = 0; turns < 3; turns += 1) await jobs.tick();
  };
  await pass(6 * DAY);
  expect(existsSync(path)).toBe(true);
  await context.store.tenant(office.tenant, ({ sql }) =>
    sql
      .updateTable('explorer')
      .set({ used_at: context.clock.now() + DAY })
      .where('id', '=', session.body.data.id)
      .execute(),
  );
  await pass(DAY + HOUR);
  expect(existsSync(path)).toBe(true);
  await pass(2 * HOUR);
  expect(existsSync(path)).toBe(false);
  const left = await context.store.tenant(office.tenant, async ({ sql, tenant: id }) => {
    const tables = [
      'item',
      'folder',
      'backup_object',
      'restore_point',
      'repository_access',
    ] as const;
    const counts = [];
    for (const table of tables)
      counts.push(
        (await sql.selectFrom(table).select('tenant_id').where('tenant_id', '=', id).execute())
          .length,
      );
    return counts;
  });
  expect(left).toEqual([0, 0, 0, 0, 0]);
});
