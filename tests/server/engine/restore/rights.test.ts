import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, expect, test } from 'vitest';
import type { EngineScope, Task } from '#contract/engine/engine.ts';
import { createDemoTenant, type DemoTenant } from '#server/demo/tenant/tenant.ts';
import { makeEmbeddedEngine } from '#server/engine/embedded/engine.ts';
import type { Oversight } from '#server/engine/embedded/restore/restore-engine.ts';
import { allJobs } from '#server/jobs.ts';
import { makeJobRunner } from '#server/platform/jobs/runner.ts';
import { eachDatabase, freshStore, type Kind, ONE } from '../../db/databases.ts';
import { aTenant, byClock, companyDraft } from '../../db/drafts.ts';
import { makeFixture } from '../../http/fixtures.ts';
import { getKind, getValue } from '../restic/fixtures.ts';
import { JOB, ORGANIZATION } from '../session-bench.ts';

const folder = mkdtempSync(join(tmpdir(), 'daybook-rights-'));
const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});
const MINUTE = 60_000;
const FLAGS = {
  markRestoredAsUnread: false,
  excludeDeletedItems: false,
  excludeDrafts: false,
  excludeInPlaceHoldItems: false,
  excludeLitigationHoldItems: false,
};

/** To write to mailboxes with their calendars, contacts and tasks. */
const OUTLOOK_RIGHTS = [
  'User.Read.All',
  'Mail.ReadWrite',
  'Calendars.ReadWrite',
  'Contacts.ReadWrite',
  'Tasks.ReadWrite.All',
  'MailboxItem.ImportExport.All',
];

const record = (): Promise<void> => Promise.resolve();

const getAdministrator = ({ admin }: DemoTenant): string => admin.listUsers()[0]?.id ?? '';

/** An organization that was connected by device code: its application may only read. */
async function setUp(database: Kind) {
  const fixture = await makeFixture({ repositoriesDir: folder }, await freshStore(database));
  const { clock } = fixture.world;
  // Waits pass at once. Limits for answers, from 25 seconds, are real.
  const quick = {
    ...clock,
    after: (ms: number, run: () => void) =>
      ms > 24_000 ? clock.after(ms, run) : clock.after(0, () => (fixture.pass(ms), run())),
  };
  const world = { ...fixture.world, clock: quick };
  world.embeddedEngine = makeEmbeddedEngine(() => world);
  const engine = world.embeddedEngine;
  const { store } = world;
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
  world.cloud.connectTo(async (request) => {
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
      directoryId: null,
    }),
  );
  getValue(
    await engine.repositories.create(scope, { repository, password: null, passwordHint: null }),
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
  const jobs = allJobs(world);
  const runner = makeJobRunner(world, {
    'backup-session': jobs['backup-session'],
    'restore-task': jobs['restore-task'],
    'restore-rights': jobs['restore-rights'],
  });
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
          flags: FLAGS,
          dryRun,
          reason: null,
        },
        oversight,
      ),
    ended: async (task: string): Promise<Task> => {
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

eachDatabase((database) => {
  test(`RES-24, RES-25, G69: rights of a session write, and end with it (${database})`, async () => {
    const at = await setUp(database);
    const { engine, scope, office, ended } = at;
    const before = at.mails().length;
    at.loseMails();
    const session = await at.openSession();

    // Reading needs nothing; writing names what is missing, and nothing is written.
    expect((await ended(getValue(await at.restore(session, true)))).result).toBe('success');
    const denied = await at.restore(session, false);
    expect(denied).toMatchObject({ ok: false, error: { kind: 'forbidden' } });
    expect(JSON.stringify(denied)).toContain('Mail.ReadWrite');
    expect(getValue(await engine.restoreRights.get(scope, { workload: 'outlook' }))).toEqual({
      missing: [
        'Mail.ReadWrite',
        'Calendars.ReadWrite',
        'Contacts.ReadWrite',
        'Tasks.ReadWrite.All',
      ],
      requested: OUTLOOK_RIGHTS,
      expiresAt: null,
    });
    expect(getValue(await engine.restoreRights.get(scope, { workload: 'onedrive' }))).toEqual({
      missing: ['Files.ReadWrite.All'],
      requested: ['User.Read.All', 'Files.ReadWrite.All'],
      expiresAt: null,
    });

    // Pending, then granted: an application of its own, that may do no more than this restore.
    const shown = getValue(await engine.restoreRights.requestCode(scope, { workload: 'outlook' }));
    expect(shown.permissions).toContain('Mail.ReadWrite');
    expect(getValue(await engine.restoreRights.checkCode(scope))).toBe('pending');
    expect(getKind(await engine.restoreRights.grant(scope))).toBe('conflict');
    await at.signIn();
    const { expiresAt } = getValue(await engine.restoreRights.grant(scope));
    expect(await at.temporary()).toEqual([OUTLOOK_RIGHTS.toSorted()]);
    expect(office.admin.findApplication(at.applicationId)?.roles).not.toContain('Mail.ReadWrite');
    expect(getValue(await engine.restoreRights.get(scope, { workload: 'outlook' }))).toEqual({
      missing: [],
      requested: OUTLOOK_RIGHTS,
      expiresAt,
    });
    // A lost answer is given again, and rights for mails are none for files.
    expect(getValue(await engine.restoreRights.grant(scope))).toEqual({ expiresAt });
    expect(
      getValue(await engine.restoreRights.get(scope, { workload: 'onedrive' })).missing,
    ).toEqual(['Files.ReadWrite.All']);

    // Another user, also one who acts as this one, has none of it.
    const other = { ...scope, user: randomUUID() };
    expect(getKind(await engine.restoreRights.checkCode(other))).toBe('missing');
    expect(getKind(await at.restore(await at.openSession(other), false, other))).toBe('forbidden');
    const acting = {
      ...scope,
      origin: { ip: '', agent: '', actor: randomUUID(), impersonation: randomUUID(), key: null },
    };
    expect(getKind(await at.restore(session, false, acting))).toBe('forbidden');

    // It writes, another point of the same session too, and undoes.
    getValue(await at.stop(session.explorer, true));
    const next = await at.openSession();
    const task = getValue(await at.restore(next, false));
    const done = await ended(task);
    expect([done.result, done.message, at.mails().length]).toEqual(['success', null, before]);
    const undone = await ended(getValue(await engine.undo(scope, { task })));
    expect([undone.result, at.mails().length]).toEqual(['success', before - 2]);

    // A started restore keeps the rights; then the application and its key are gone.
    const last = getValue(await at.restore(next, false));
    getValue(await at.stop(next.explorer));
    expect(getKind(await engine.undo(scope, { task: last }))).toBe('forbidden');
    expect((await ended(last)).result).toBe('success');
    expect(at.mails().length).toBe(before);
    at.pass(60_000);
    await at.tick();
    expect(await at.temporary()).toEqual([]);
    expect(await at.grants()).toMatchObject([{ sealed: null, removed: true }]);
    expect(getKind(await engine.undo(scope, { task: last }))).toBe('forbidden');

    // Who granted it, what ended, without a secret (G62).
    const recorded = await at.recorded();
    expect(recorded.map(({ what }) => what)).toEqual([
      'restorerights.requested',
      'restorerights.requested',
      'restorerights.granted',
      'restorerights.ended',
      'restorerights.removed',
    ]);
    expect(recorded.map(({ actor_id: actor, user_id: user }) => actor ?? user)).toEqual(
      recorded.map(() => scope.user),
    );
    expect(JSON.stringify(recorded)).not.toMatch(/eyJ|PRIVATE KEY|BEGIN/);
  });
});

test('G71, RES-24: an approved restore writes with the rights of who asked for it, else of who approves it', async () => {
  const at = await setUp(ONE);
  const { engine, scope, ended } = at;
  const before = at.mails().length;
  const approver: EngineScope = {
    ...scope,
    user: randomUUID(),
    origin: { ip: '', agent: '', actor: randomUUID(), impersonation: null, key: null },
  };
  const waiting = { needsApproval: true, record };
  const approve = (task: string) =>
    engine.approve(approver, { task, requester: scope.user ?? '', record });
  at.loseMails();
  const session = await at.openSession();
  // Asking for it needs no rights, approving it does.
  const task = getValue(await at.restore(session, false, scope, waiting));
  await at.tick();
  expect(getValue(await engine.getTask(scope, { task })).state).toBe('awaiting-approval');
  expect(getKind(await engine.cancel(scope, { task }))).toBe('conflict');
  expect(getKind(await approve(task))).toBe('forbidden');
  expect([at.mails().length, getValue(await engine.getTask(scope, { task })).state]).toEqual([
    before - 2,
    'awaiting-approval',
  ]);
  await at.signIn();
  getValue(await engine.restoreRights.grant(scope));
  getValue(await approve(task));
  expect([(await ended(task)).result, at.mails().length]).toEqual(['success', before]);
  expect(getKind(await approve(task))).toBe('conflict');

  // The session of who asked for the next one has ended, and with it the rights.
  at.loseMails();
  const second = getValue(await at.restore(session, false, scope, waiting));
  getValue(await at.stop(session.explorer));
  expect(getKind(await approve(second))).toBe('forbidden');
  await at.signIn(approver);
  getValue(await engine.restoreRights.grant(approver));
  getValue(await approve(second));
  expect([(await ended(second)).result, at.mails().length]).toEqual(['success', before]);
});

test('RES-24: of a mailbox, a restore and its undo need the permissions for what was chosen', async () => {
  const at = await setUp(ONE);
  const { engine, scope, office, ended } = at;
  const before = at.mails().length;
  const [lost] = office.admin.listMessages(at.person, 'inbox');
  office.admin.purgeMessage(at.person, lost?.id ?? '');
  expect(at.mails().length).toBe(before - 1);
  const session = await at.openSession();
  const folders = await at.listNodes(session.explorer, session.mailbox, 'folders');
  const find = (name: string) => ({
    ...session,
    mailbox: folders.find((one) => one.name === name)?.id ?? '',
  });
  const missing = async (chosen: typeof session): Promise<readonly string[]> => {
    const task = getValue(await at.restore(chosen, true));
    return getValue(await engine.restoreRights.getForTask(scope, { task })).missing;
  };
  const [inbox, calendars, contacts, tasks] = ['Inbox', 'Calendars', 'Contacts', 'Tasks'].map(find);
  if (!inbox || !calendars || !contacts || !tasks) throw new Error('A folder is missing.');
  expect(await missing(inbox)).toEqual(['Mail.ReadWrite']);
  expect(await missing(calendars)).toEqual(['Calendars.ReadWrite']);
  expect(await missing(contacts)).toEqual(['Contacts.ReadWrite']);
  expect(await missing(tasks)).toEqual(['Tasks.ReadWrite.All']);
  const [meetings] = await at.listNodes(session.explorer, calendars.mailbox, 'folders');
  const [event] = await at.listNodes(session.explorer, meetings?.id ?? '', 'all');
  expect(event?.kind).toBe('event');
  expect(await missing({ ...session, mailbox: event?.id ?? '' })).toEqual(['Calendars.ReadWrite']);

  // The backup application gets the permission for mails: that is all that mails take.
  const roles = office.admin.findApplication(at.applicationId)?.roles ?? [];
  office.admin.grantRoles(at.applicationId, [...roles, 'Mail.ReadWrite']);
  expect(await missing(session)).toEqual([
    'Calendars.ReadWrite',
    'Contacts.ReadWrite',
    'Tasks.ReadWrite.All',
  ]);
  expect(getKind(await at.restore(session, false))).toBe('forbidden');
  expect(getKind(await at.restore(calendars, false))).toBe('forbidden');
  const task = getValue(await at.restore(inbox, false));
  expect([(await ended(task)).result, at.mails().length]).toEqual(['success', before]);
  const undone = await ended(getValue(await engine.undo(scope, { task })));
  expect([undone.result, at.mails().length]).toEqual(['success', before - 1]);
});

test('G69, G72: the sign-in of another tenant is refused and not kept', async () => {
  const at = await setUp(ONE);
  await at.signIn(at.scope, at.stranger);
  const refused = await at.engine.restoreRights.grant(at.scope);
  expect(refused).toMatchObject({ ok: false, error: { kind: 'refused' } });
  expect(JSON.stringify(refused)).toContain('another tenant');
  expect(getKind(await at.engine.restoreRights.grant(at.scope))).toBe('missing');
  expect([await at.grants(), await at.temporary()]).toEqual([[], []]);
  // A code for restores sets up nothing else, and the other way round.
  const shown = await at.signIn();
  expect(
    getKind(await at.engine.organizations.renewCertificate(at.scope, { code: shown.id })),
  ).toBe('missing');
  const elsewhere = { ...at.scope, organization: randomUUID() };
  expect(getKind(await at.engine.restoreRights.checkCode(elsewhere))).toBe('missing');
});

test('RES-25: rights end after an hour, and what could not be removed is removed by the next sign-in', async () => {
  const at = await setUp(ONE);
  const { engine, scope, ended } = at;
  at.loseMails();
  const session = await at.openSession();
  await at.signIn();
  getValue(await engine.restoreRights.grant(scope));
  const task = getValue(await at.restore(session, false));
  at.pass(56 * MINUTE);
  expect((await ended(task)).message).toContain('rights to write have ended');
  expect(getKind(await at.restore(await at.openSession(), false))).toBe('forbidden');
  expect(await at.temporary()).toEqual([]);

  await at.signIn();
  getValue(await engine.restoreRights.grant(scope));
  at.setDown(true);
  for (const minutes of [56, 5]) {
    at.pass(minutes * MINUTE);
    await at.tick();
  }
  at.setDown(false);
  expect(await at.grants()).toEqual(
    expect.arrayContaining([expect.objectContaining({ sealed: null, removed: false })]),
  );
  expect((await at.temporary()).length).toBe(1);
  await at.signIn();
  getValue(await engine.restoreRights.grant(scope));
  expect((await at.temporary()).length).toBe(1);
  expect((await at.grants()).filter(({ removed }) => !removed).length).toBe(1);

  // Disconnecting the organization ends them at once.
  getValue(await engine.organizations.disconnect(scope));
  await at.tick();
  expect(await at.temporary()).toEqual([]);
});
