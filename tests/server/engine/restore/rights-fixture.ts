import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, expect } from 'vitest';
import type { EngineScope, EngineTask } from '#contract/engine/engine.ts';
import { createDemoTenant, type DemoTenant } from '#server/demo/tenant/tenant.ts';
import { makeEmbeddedEngine } from '#server/engine/embedded/engine.ts';
import type { Oversight } from '#server/engine/shared/calls.ts';
import { allJobs } from '#server/jobs.ts';
import { makeJobRunner } from '#server/platform/jobs/runner.ts';
import { INSERTION_ORDER } from '../../db/insertion-order.ts';
import { freshStore, type Kind } from '../../db/databases.ts';
import { aTenant, byClock, companyDraft } from '../../db/drafts.ts';
import { makeFixture, user } from '../../http/fixtures.ts';
import { loadMails } from '../../notifications/fixtures.ts';
import { getValue } from '../restic/fixtures.ts';
import { JOB, ORGANIZATION } from '../session-bench.ts';
import { NO_FLAGS } from './no-flags.ts';

const folder = mkdtempSync(join(tmpdir(), 'daybook-rights-'));
const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

const getAdministrator = ({ admin }: DemoTenant): string => admin.listUsers()[0]?.id ?? '';

/** An organization that was connected by device code: its application may only read. */
export async function setUp(database: Kind) {
  const fixture = await makeFixture({ repositoriesDir: folder }, await freshStore(database));
  const { clock } = fixture.context;
  const readMails = async (): Promise<readonly string[]> =>
    (await loadMails(fixture, { tenant })).map(({ to, text }) => `${to}: ${text}`);
  // Waits pass at once. Limits for answers, from 25 seconds, are real.
  const quick = {
    ...clock,
    after: (ms: number, run: () => void) =>
      ms > 24_000 ? clock.after(ms, run) : clock.after(0, () => (fixture.pass(ms), run())),
  };
  const context = { ...fixture.context, clock: quick };
  context.embeddedEngine = makeEmbeddedEngine(() => context);
  const engine = context.embeddedEngine;
  const { store } = context;
  const makeOffice = (seed: number): DemoTenant => {
    const made = createDemoTenant({
      file: null,
      seed,
      now: () => clock.now(),
      size: { people: 2, minMails: 4, maxMails: 6, minFiles: 2, maxFiles: 3, maxFileBytes: 9_000 },
    });
    closing.push(() => made.close());
    return made;
  };
  const office = makeOffice(5);
  const stranger = makeOffice(6);
  const sent: string[] = [];
  /** Whose people sign in at Microsoft's page, as `organizations` is every tenant's. */
  let signsIn = office;
  let isDown = false;
  context.cloud.connectTo(async (request) => {
    const { hostname, pathname } = new URL(request.url);
    sent.push(`${request.method} ${pathname}`);
    if (isDown) throw new TypeError('fetch failed');
    const [, payload = ''] = (request.headers.get('authorization') ?? '').split('.');
    const isStrangers =
      hostname === 'login.microsoftonline.com'
        ? pathname.startsWith('/organizations/') && signsIn === stranger
        : Buffer.from(payload, 'base64url').toString().includes(stranger.id);
    return (isStrangers ? stranger : office).fetch(request);
  });
  const tenant = await aTenant(store);
  const [organization, repository, job] = [randomUUID(), randomUUID(), randomUUID()];
  const scope: EngineScope = { tenant, organization, user: randomUUID() };
  const code = getValue(
    await engine.organizations.requestDeviceCode(scope, { region: 'Worldwide' }),
  );
  office.admin.approveDeviceCode(code.userCode, getAdministrator(office));
  getValue(await engine.organizations.checkDeviceCode(scope, { code: code.id }));
  const { applicationId } = getValue(
    await engine.organizations.connect(scope, {
      region: 'Worldwide',
      auth: 'modern',
      services: ['exchange', 'sharepoint'],
      code: code.id,
      officeOrganizationName: null,
      newApplicationName: 'Backup',
      applicationId: null,
      applicationSecret: null,
      setup: 'all',
      directoryId: null,
    }),
  );
  getValue(
    await engine.repositories.create(scope, {
      repository,
      password: null,
      passwordHint: null,
      storage: null,
    }),
  );
  await store.tenant(tenant, async (tx) => {
    await tx.append([companyDraft(1)], byClock);
    const about = { company: 1, entity: 'test:1' };
    const data = { id: organization, company: 1, ...ORGANIZATION };
    await tx.append(
      [
        { ...about, event: { type: 'organization.created@1', data } },
        {
          ...about,
          event: {
            type: 'backupjob.created@1',
            data: {
              id: job,
              company: 1,
              organization,
              repository,
              enabled: true,
              ...JOB,
              schedulePolicy: {
                schedule: { type: 'Periodically', periodicallyEvery: 'Hours12' },
                backupWindow: null,
                retryNumber: 0,
                retryWaitInterval: 10,
              },
            },
          },
        },
      ],
      { ...byClock, at: clock.now() },
    );
  });
  const jobs = allJobs(context);
  const runner = makeJobRunner(context, {
    'backup-session': jobs['backup-session'],
    'restore-task': jobs['restore-task'],
    'restore-rights': jobs['restore-rights'],
  });
  const rightsRunner = makeJobRunner(context, { 'restore-rights': jobs['restore-rights'] });
  getValue(await engine.jobs.start(scope, { job, reason: 'manual' }));
  await runner.tick();
  const { admin } = office;
  const person = admin.listUsers().find(({ id }) => admin.listMessages(id).length > 2);
  if (!person) throw new Error('Nobody has mails.');
  const bins = admin
    .listFolders(person.id)
    .filter(({ well_known: name }) => name === 'recoverableitemsdeletions')
    .map(({ id }) => id);
  const mails = () => admin.listMessages(person.id).filter((one) => !bins.includes(one.folder_id));
  const openSession = async (by = scope): Promise<{ explorer: string; mailbox: string }> => {
    const { id } = getValue(
      await engine.openExplorer(by, {
        workload: 'outlook',
        job: null,
        at: clock.now(),
        showDeleted: false,
      }),
    );
    const rows = await listNodes(id, null, 'all', by);
    return { explorer: id, mailbox: rows.find(({ name }) => name === person.name)?.id ?? '' };
  };
  const listNodes = async (
    explorer: string,
    parent: string | null,
    only: 'all' | 'folders',
    by = scope,
  ) =>
    getValue(
      await engine.listChildren(by, {
        explorer,
        parent,
        only,
        text: null,
        sort: 'name',
        descending: false,
        cursor: null,
        limit: 50,
      }),
    ).rows;
  return {
    engine,
    office,
    readMails,
    addAdministrator: () => user(fixture, tenant),
    stranger,
    scope,
    sent,
    mails,
    openSession,
    listNodes,
    person: person.id,
    applicationId: applicationId ?? '',
    pass: (ms: number) => fixture.pass(ms),
    tick: () => runner.tick(),
    /** The jobs that end rights, and no restore. */
    tickRights: () => rightsRunner.tick(),
    loseMails() {
      for (const { id } of mails().slice(0, 2)) admin.purgeMessage(person.id, id);
    },
    setDown(value: boolean) {
      isDown = value;
    },
    restore: (
      at: { explorer: string; mailbox: string },
      dryRun: boolean,
      by = scope,
      oversight?: Oversight,
    ) =>
      engine.restore(
        by,
        {
          explorer: at.explorer,
          nodes: [at.mailbox],
          target: { kind: 'original' },
          select: 'missing',
          onConflict: 'skip',
          versions: 'last',
          flags: NO_FLAGS,
          dryRun,
          reason: null,
        },
        oversight,
      ),
    ended: async (task: string): Promise<EngineTask> => {
      for (let turns = 0; turns < 10; turns++) {
        await runner.tick();
        const now = getValue(await engine.getTask(scope, { task }));
        if (now.state === 'done') return now;
        fixture.pass(30_000);
      }
      throw new Error('The task does not end.');
    },
    /** Requests a code, and signs in with it as an administrator of a tenant. */
    async signIn(by = scope, as: DemoTenant = office, workload: 'outlook' | null = 'outlook') {
      signsIn = as;
      const shown = getValue(await engine.restoreRights.requestCode(by, { workload }));
      expect(as.admin.approveDeviceCode(shown.userCode, getAdministrator(as))).toBe(true);
      expect(await engine.restoreRights.checkCode(by)).toEqual({ ok: true, value: 'granted' });
      return shown;
    },
    stop: (explorer: string, keepsRights = false) =>
      engine.stopExplorer(scope, { explorer, keepsRights }),
    grants: () =>
      store.tenant(tenant, ({ sql }) => sql.selectFrom('restore_grant').selectAll().execute()),
    recorded: () =>
      store.tenant(tenant, ({ sql }) =>
        sql
          .selectFrom('audit')
          .select(['what', 'detail', 'actor_id', 'user_id'])
          .where('what', 'like', 'restorerights.%')
          .orderBy('at')
          .orderBy(INSERTION_ORDER)
          .execute(),
      ),
    /** The temporary applications in the tenant, with what they may do. */
    temporary: async () => {
      const { appId, secret } = admin.registerApplication('Reader', ['Application.Read.All']);
      const token = await office.fetch(
        new Request(`https://login.microsoftonline.com/${office.id}/oauth2/v2.0/token`, {
          method: 'POST',
          body: new URLSearchParams({
            client_id: appId,
            client_secret: secret,
            grant_type: 'client_credentials',
            scope: 'https://graph.microsoft.com/.default',
          }),
        }),
      );
      const { access_token: access } = (await token.json()) as { access_token: string };
      const list = await office.fetch(
        new Request('https://graph.microsoft.com/v1.0/applications', {
          headers: { authorization: `Bearer ${access}` },
        }),
      );
      const { value } = (await list.json()) as { value: { appId: string; displayName: string }[] };
      return value
        .filter(({ displayName }) => !['Reader', 'Backup'].includes(displayName))
        .map((one) => [...(admin.findApplication(one.appId)?.roles ?? [])].sort());
    },
  };
}
