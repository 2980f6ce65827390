import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { setUpBackup, startBackups } from '#server/demo/backups.ts';
import { demoCloud } from '#server/demo/demo-cloud.ts';
import type { ProviderPlan } from '#server/demo/plan.ts';
import { provision } from '#server/demo/provision.ts';
import { createDemoTenant } from '#server/demo/tenant/tenant.ts';
import { allJobs } from '#server/jobs.ts';
import { makeJobRunner } from '#server/platform/jobs/runner.ts';
import { freshStore, ONE } from '../db/databases.ts';
import { makeFixture } from '../http/fixtures.ts';
import { getPlan } from './fixtures.ts';

const folder = mkdtempSync(join(tmpdir(), 'daybook-demo-backups-'));
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});
const FEW = { people: 6, minMails: 2, maxMails: 4, minFiles: 1, maxFiles: 2, maxFileBytes: 5_000 };

/** The providers of the small demo, each with a tenant of few people. */
async function anDemo() {
  const fixture = await makeFixture({ repositoriesDir: folder }, await freshStore(ONE), {
    skipsShortWaits: true,
  });
  const { context } = fixture;
  const plan = getPlan('small', context.clock.now());
  const sites = plan.providers.map((provider, place) => ({
    provider,
    tenant: createDemoTenant({
      file: null,
      seed: provider.seed,
      now: () => context.clock.now(),
      size: FEW,
      filesHost: `files-${place}.sharepoint.com`,
    }),
  }));
  const tenants = {
    list: () => sites.map(({ provider, tenant }) => ({ provider: provider.branding.name, tenant })),
    find: (id: string) => sites.find(({ provider }) => provider.id === id)?.tenant ?? null,
    close: () => undefined,
  };
  for (const { provider } of sites)
    await provision(context, { ...provider, people: [] }, () => Promise.reject(new Error('asked')));
  context.cloud.connectTo(demoCloud(tenants));
  const backup = ({ id }: ProviderPlan) =>
    context.store.tenant(
      id,
      async (tx) => ({
        organizations: await tx.all('organization'),
        repositories: await tx.all('backupRepository'),
        jobs: await tx.all('backupJob'),
        seq: (await tx.head()).seq,
      }),
      { readOnly: true },
    );
  return { ground: fixture, plan, sites, tenants, backup };
}

test('EST-12: minutes after the start, each provider of the demo has restore points of its own tenant; a second start adds nothing', async () => {
  const { ground: fixture, plan, sites, tenants, backup } = await anDemo();
  const { context } = fixture;
  await startBackups(context, plan, tenants).settled;
  const runner = makeJobRunner(context, {
    'backup-schedule': allJobs(context)['backup-schedule'],
    'backup-session': allJobs(context)['backup-session'],
  });
  /** Each job has run, and the one of mails again. */
  const isDone = async (): Promise<boolean> => {
    for (const { provider } of sites) {
      const { jobs } = await backup(provider);
      const isOpen = jobs.some(
        ({ name, recent }) => recent.length < (name.startsWith('Mail of all') ? 2 : 1),
      );
      if (isOpen) return false;
    }
    return true;
  };
  // How far the clock gets while sessions run depends on how busy the machine is.
  for (let minute = 0; minute < 60 && !(await isDone()); minute += 1) {
    await runner.tick();
    fixture.pass(60_000);
  }
  for (const { provider, tenant } of sites) {
    const { organizations, repositories, jobs, seq } = await backup(provider);
    expect(organizations).toMatchObject([
      { directoryId: tenant.id, officeName: tenant.domain, company: 2, removedAt: null },
    ]);
    expect(repositories).toMatchObject([
      { organization: organizations[0]?.id, retentionPolicy: 'Years5' },
    ]);
    const getJob = (name: string) => jobs.find((job) => job.name.startsWith(name));
    expect(jobs).toHaveLength(5);
    const people = tenant.admin.listUsers().length;
    const whole = {
      result: 'success',
      counts: { objects: people, succeeded: people, warned: 0, failed: 0 },
      point: expect.any(String) as string,
    };
    const getRecent = (name: string) => getJob(name)?.recent ?? [];
    const isEach = (name: string, expected: object): void => {
      expect(getRecent(name).length).toBeGreaterThan(0);
      for (const session of getRecent(name)) expect(session).toMatchObject(expected);
    };
    isEach('Mail of all people', whole);
    expect(getRecent('Mail of all people').length).toBeGreaterThan(1);
    isEach('Files of all people', whole);
    for (const name of ['Mail', 'Files'])
      expect(getJob(`${name} of all people`)?.recent.at(-1)?.bytesRead).toBeGreaterThan(500);
    const teams = tenant.admin.teams.list().length;
    expect(teams).toBeGreaterThan(0);
    const counts = { ...whole.counts, objects: teams, succeeded: teams };
    isEach('All teams', { ...whole, counts });
    const nothing = jobs.find(({ lastPointAt }) => lastPointAt === null)?.recent;
    expect(nothing?.at(-1)).toMatchObject({
      result: 'warning',
      message: "The job's selection contains nothing to back up.",
    });
    await setUpBackup(context, provider, tenant);
    expect((await backup(provider)).seq).toBe(seq);
  }
});

test('EST-12: requests to the cloud reach the tenant that they name, and no other tenant takes its tokens', async () => {
  const { sites, tenants } = await anDemo();
  const fetch = demoCloud(tenants);
  const login = 'https://login.microsoftonline.com';
  const graph = 'https://graph.microsoft.com/v1.0';
  for (const { tenant } of sites) {
    const { appId, secret } = tenant.admin.registerApplication('Reader', [
      'User.Read.All',
      'Files.Read.All',
      'Organization.Read.All',
    ]);
    for (const named of [tenant.id, tenant.domain]) {
      const signedIn = await fetch(
        new Request(`${login}/${named}/oauth2/v2.0/token`, {
          method: 'POST',
          body: new URLSearchParams({
            grant_type: 'client_credentials',
            client_id: appId,
            client_secret: secret,
            scope: 'https://graph.microsoft.com/.default',
          }),
        }),
      );
      const { access_token } = (await signedIn.json()) as { access_token: string };
      const ask = (path: string) =>
        fetch(
          new Request(`${graph}${path}`, { headers: { authorization: `Bearer ${access_token}` } }),
        );
      const owner = (await (await ask('/organization')).json()) as { value: { id: string }[] };
      expect(owner.value[0]?.id).toBe(tenant.id);
      const user = tenant.admin.listUsers().find(({ hasDrive }) => hasDrive);
      const [file] = tenant.admin.listFiles(user?.id ?? '');
      const content = await ask(`/users/${user?.id}/drive/items/${file?.id}/content`);
      const bytes = await fetch(new Request(content.headers.get('location') ?? ''));
      expect([content.status, bytes.status]).toEqual([302, 200]);
      expect((await bytes.arrayBuffer()).byteLength).toBe(file?.size);
    }
  }
  const unknown = await fetch(
    new Request(`${login}/nobody.example.com/v2.0/.well-known/openid-configuration`),
  );
  expect(unknown.status).toBe(400);
});
