import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import type { BackupJobRow } from '#contract/backup/jobs.ts';
import type { OrganizationRow } from '#contract/backup/organizations.ts';
import { allJobs } from '#server/jobs.ts';
import { backupRuns } from '#server/features/backup/backup-runs.ts';
import { makeJobRunner } from '#server/platform/jobs/runner.ts';
import { eachDatabase } from '../db/databases.ts';
import { getValue } from '../engine/restic/fixtures.ts';
import { makeFixture } from '../http/fixtures.ts';
import { connect, create, makeTenant, ROLES } from './connected.ts';
import { job, repository } from './fixtures.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const ALL = [...ROLES, 'MailboxItem.Export.All'];
const without = (revoked: string) => ALL.filter((role) => role !== revoked);
const folder = mkdtempSync(join(tmpdir(), 'daybook-revoked-'));
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** A connected tenant with a job. `backUp` runs a session of it to its end, after some hours. */
async function aBackup(fixture: Awaited<ReturnType<typeof makeFixture>>, seed: number) {
  const { context } = fixture;
  const tenant = makeTenant(fixture, seed);
  const { office, admin, organization, appId } = await connect(fixture, tenant);
  const made = await create(admin, 'o365/repositories', repository(organization));
  const jobId = await create(admin, 'o365/jobs', job(organization, made));
  let checks = 0;
  const { organizations } = context.embeddedEngine;
  const watched = {
    ...context,
    embeddedEngine: {
      ...context.embeddedEngine,
      organizations: {
        ...organizations,
        test: (...call: Parameters<typeof organizations.test>) => {
          checks += 1;
          return organizations.test(...call);
        },
      },
    },
  };
  const jobs = allJobs(watched);
  const runner = makeJobRunner(watched, {
    'restore-task': jobs['restore-task'],
    'organization-check': jobs['organization-check'],
  });
  const load = (): Promise<{ row: OrganizationRow; ended: BackupJobRow['recent'][number] }> =>
    context.store.tenant(
      office.tenant,
      async (tx) => {
        const row = (await tx.rows('organization', [organization])).get(organization);
        const ended = (await tx.rows('backupJob', [jobId])).get(jobId)?.recent[0];
        if (!row || !ended) throw new Error('There is no session.');
        return { row, ended };
      },
      { readOnly: true },
    );
  return {
    office,
    organization,
    tenant,
    /** Runs restores, and the checks that were requested. */
    runRequested: async () => {
      const before = checks;
      await runner.tick();
      fixture.pass(10 * MINUTE);
      await runner.tick();
      const { missingPermissions: missing } = (await load()).row;
      return { missing, checks: checks - before };
    },
    /** Graph's tokens have the roles of their time. */
    setRoles: (roles: readonly string[]): void => {
      tenant.admin.grantRoles(appId, roles);
      fixture.pass(2 * HOUR);
    },
    backUp: async () => {
      const before = checks;
      fixture.pass(HOUR);
      const session = getValue(
        await context.embeddedEngine.jobs.start(
          { tenant: office.tenant, organization, user: null },
          { job: jobId, reason: 'schedule' },
        ),
      );
      const run = allJobs(context)['backup-session'];
      const signal = new AbortController().signal;
      for (;;) {
        const next = await run({
          tenant: office.tenant,
          payload: { session },
          lease: 'test',
          now: context.clock.now(),
          signal,
        });
        if (next === null) break;
        fixture.pass(Math.max(1, next - context.clock.now()));
      }
      await backupRuns(watched)({
        tenant: office.tenant,
        payload: null,
        now: context.clock.now(),
        signal,
      });
      const { row, ended } = await load();
      const { missingPermissions: missing } = row;
      return { result: ended.result, missing, checks: checks - before };
    },
  };
}

eachDatabase((kind, open) => {
  test(`ENG-50: a permission that was revoked later is listed after the next session, until it is granted and a session made a restore point (${kind})`, async () => {
    const fixture = await makeFixture({ repositoriesDir: folder }, await open(), {
      skipsShortWaits: true,
    });
    const { setRoles, backUp } = await aBackup(fixture, 61);
    setRoles(ALL);
    expect(await backUp()).toMatchObject({ result: 'success', missing: [] });
    expect(await backUp()).toEqual({ result: 'success', missing: [], checks: 0 });
    // Mailboxes can't be read at all.
    setRoles(without('Mail.Read'));
    const revoked = { result: 'warning', missing: ['Mail.Read'], checks: 1 };
    expect(await backUp()).toEqual(revoked);
    expect(await backUp()).toEqual(revoked);
    setRoles(ALL);
    expect(await backUp()).toEqual({ result: 'success', missing: [], checks: 1 });
    expect(await backUp()).toEqual({ result: 'success', missing: [], checks: 0 });
    // A part of each mailbox can't be read.
    setRoles(without('Calendars.Read'));
    expect(await backUp()).toEqual({ ...revoked, missing: ['Calendars.Read'] });
    // The tenant can't be read: there is no session with a restore point.
    setRoles(without('User.Read.All'));
    expect(await backUp()).toEqual({ ...revoked, result: 'failed', missing: ['User.Read.All'] });
  });

  test(`ENG-50: comparisons and a restore that are denied an access are followed by one check each time (${kind})`, async () => {
    const fixture = await makeFixture({ repositoriesDir: folder }, await open(), {
      skipsShortWaits: true,
    });
    const { office, organization, setRoles, backUp, runRequested } = await aBackup(fixture, 62);
    let users = 0;
    /** Sessions end while time passes. */
    const openMail = async () => {
      const admin = await office.as(`user${(users += 1)}`, ['o365_admin']);
      const read = async <T>(path: string): Promise<T> => (await admin<T>('GET', path)).body.data;
      const id = await create(admin, 'o365/restore/restoresessions', {
        organizationId: organization,
        datetime: fixture.context.clock.now(),
        sessionType: 'Vex',
      });
      const session = `o365/restore/restoresessions/${id}`;
      const boxes = await read<{ rows: { id: string }[] }>(`${session}/mailboxes`);
      const box = `${session}/mailboxes/${boxes.rows[0]?.id}`;
      const found = await read<{ rows: { id: string; kind: string }[] }>(
        `o365/restore/search?organizationId=${organization}&sessionType=Vex&limit=500&search=e`,
      );
      const owner = boxes.rows[0]?.id.slice(1) ?? '';
      const mail = found.rows.find((row) => row.kind === 'mail' && row.id.startsWith(`i${owner}.`));
      return { admin, session, box, mail: mail?.id ?? '' };
    };
    const compare = async () => {
      const { admin, session, mail } = await openMail();
      return (await admin('GET', `${session}/compare?itemId=${mail}`)).status;
    };
    setRoles(ALL);
    expect(await backUp()).toMatchObject({ result: 'success', missing: [] });
    expect(await compare()).toBe(200);
    expect(await runRequested()).toEqual({ missing: [], checks: 0 });

    setRoles(without('Mail.Read'));
    for (let n = 0; n < 3; n += 1) expect(await compare()).not.toBe(200);
    expect(await runRequested()).toEqual({ missing: ['Mail.Read'], checks: 1 });
    expect(await runRequested()).toEqual({ missing: ['Mail.Read'], checks: 0 });
    setRoles(ALL);
    expect(await backUp()).toMatchObject({ result: 'success', missing: [] });

    setRoles(without('Mail.Read'));
    const { admin, box, mail } = await openMail();
    const tried = await admin('POST', `${box}/items/restore`, { items: [mail], dryRun: true });
    expect(tried.status).toBe(200);
    expect(await runRequested()).toEqual({ missing: ['Mail.Read'], checks: 1 });
  });

  test(`ENG-50, RES-2, RES-5: a restore and an undo whose permissions were revoked change nothing and name them, and they and a folder's comparison are followed by one check each time (${kind})`, async () => {
    const fixture = await makeFixture({ repositoriesDir: folder }, await open(), {
      skipsShortWaits: true,
    });
    const { office, organization, tenant, setRoles, backUp, runRequested } = await aBackup(
      fixture,
      63,
    );
    const [person] = tenant.admin.listUsers();
    if (person === undefined) throw new Error('There is nobody.');
    const count = () => tenant.admin.listMessages(person.id).length;
    const WRITE = [
      ...ALL,
      'Mail.ReadWrite',
      'Calendars.ReadWrite',
      'Contacts.ReadWrite',
      'Tasks.ReadWrite.All',
      'MailboxItem.ImportExport.All',
    ];
    setRoles(WRITE);
    expect(await backUp()).toMatchObject({ result: 'success', missing: [] });
    const all = count();
    for (const { id } of tenant.admin.listMessages(person.id))
      tenant.admin.purgeMessage(person.id, id);
    expect([all > 2, count()]).toEqual([true, 0]);

    let users = 0;
    /** Sign-ins end while time passes. */
    const signIn = async () => {
      const admin = await office.as(`person${(users += 1)}`, ['o365_admin']);
      return {
        admin,
        read: async <T>(path: string): Promise<T> => (await admin<T>('GET', path)).body.data,
      };
    };
    const openBox = async () => {
      const { admin, read } = await signIn();
      const id = await create(admin, 'o365/restore/restoresessions', {
        organizationId: organization,
        datetime: fixture.context.clock.now(),
        sessionType: 'Vex',
      });
      const session = `o365/restore/restoresessions/${id}`;
      const { rows } = await read<{ rows: { id: string; name: string }[] }>(`${session}/mailboxes`);
      const box = rows.find(({ name }) => name === person.name)?.id ?? '';
      /** Starts a task, which runs to its end with other permissions. */
      const run = async (path: string, roles: readonly string[], body = {}) => {
        const started = await admin<{ id: string }>('POST', path, body);
        expect([path, started.status]).toEqual([path, 200]);
        const task = started.body.data.id;
        setRoles(roles);
        const { missing, checks } = await runRequested();
        const later = await signIn();
        const { rows: items } = await later.read<{
          rows: unknown[];
        }>(`o365/restore/tasks/${task}/results?organizationId=${organization}`);
        const { result, message } = await later.read<{ result: string; message: string | null }>(
          `o365/restore/tasks/${task}?organizationId=${organization}`,
        );
        return { task, result, message, items: items.length, missing, checks };
      };
      return { admin, session, box, run };
    };
    const denied = {
      result: 'failed',
      message:
        'The portal can only read this organization. To restore to it, sign in as an administrator of its tenant and grant these permissions: Mail.ReadWrite, Calendars.ReadWrite, Contacts.ReadWrite, Tasks.ReadWrite.All.',
      items: 0,
      missing: [],
      checks: 1,
    };
    const first = await openBox();
    const failed = await first.run(`${first.session}/mailboxes/${first.box}/restore`, ALL);
    expect(failed).toMatchObject(denied);
    expect(count()).toBe(0);
    setRoles(WRITE);
    const second = await openBox();
    const restored = await second.run(`${second.session}/mailboxes/${second.box}/restore`, WRITE);
    expect(restored).toMatchObject({ result: 'success', missing: [], checks: 0 });
    expect(count()).toBe(all);
    const third = await openBox();
    const undone = await third.run(`o365/restore/tasks/${restored.task}/undo`, ALL, {
      organizationId: organization,
    });
    expect(undone).toMatchObject(denied);
    expect(count()).toBe(all);

    setRoles(without('Mail.Read'));
    const { admin, session, box } = await openBox();
    const folders = await admin<{ rows: { id: string; name: string }[] }>(
      'GET',
      `${session}/mailboxes/${box}/folders`,
    );
    const inbox = folders.body.data.rows.find(({ name }) => name === 'Inbox')?.id ?? '';
    for (let n = 0; n < 3; n += 1)
      expect(
        (await admin('GET', `${session}/compare/folder?folderId=${inbox}`)).body,
      ).toMatchObject({ message: expect.stringContaining('Microsoft 365 denied access.') });
    expect(await runRequested()).toEqual({ missing: ['Mail.Read'], checks: 1 });
  });
});
