import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { createDemoTenant } from '#server/demo/tenant/tenant.ts';
import { allJobs } from '#server/jobs.ts';
import { makeJobRunner } from '#server/platform/jobs/runner.ts';
import { freshStore, ONE } from '../db/databases.ts';
import { makeFixture } from '../http/fixtures.ts';
import { HERE, outside } from '../outbound/outside.ts';
import { anOffice } from '../sync/fixtures.ts';
import { job, organization, repository } from './fixtures.ts';

const folder = mkdtempSync(join(tmpdir(), 'daybook-gateway-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
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

test('G70, ENG-1: over a socket to another address too, a tenant is backed up, the token goes to Graph alone, and no other host is asked', async () => {
  const gateway = await outside(async ({ method, path, headers, body }) => {
    const host = String(headers['x-forwarded-host']);
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
    await freshStore(ONE),
  );
  const { context } = fixture;
  const tenant = createDemoTenant({
    file: null,
    seed: 5,
    now: () => context.clock.now(),
    size: {
      people: 2,
      minMails: 2,
      maxMails: 3,
      minFiles: 1,
      maxFiles: 2,
      maxFileBytes: 5_000,
    },
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
  const repositoryId = await create('o365/repositories', repository(organizationId));
  const jobId = await create('o365/jobs', job(organizationId, repositoryId, { runNow: true }));
  await makeJobRunner(context, { 'backup-session': allJobs(context)['backup-session'] }).tick();
  expect((await admin('GET', `o365/jobs/${jobId}`)).body.data).toMatchObject({
    lastStatus: 'Success',
  });

  const hosts = new Set(gateway.asked.map(({ headers }) => headers['x-forwarded-host']));
  expect(hosts).toContain('graph.microsoft.com');
  expect(hosts).toContain('login.microsoftonline.com');
  const withToken = gateway.asked.filter(({ headers }) => headers.authorization !== undefined);
  expect(new Set(withToken.map(({ headers }) => headers['x-forwarded-host']))).toEqual(
    new Set(['graph.microsoft.com']),
  );
  const before = gateway.asked.length;
  for (const url of [
    'https://graph.example.net/v1.0/users',
    'https://graph.microsoft.com.example.net/v1.0/users',
    'https://graph.microsoft.com:8443/v1.0/users',
    'http://graph.microsoft.com/v1.0/users',
    gateway.url,
  ])
    await expect(context.cloud.fetch(new Request(url))).rejects.toThrow(
      /doesn't belong to this service/,
    );
  expect(gateway.asked.length).toBe(before);
});
