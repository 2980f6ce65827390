import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import type { OutputOf } from '#contract/calls.ts';
import { createDemoTenant } from '#server/demo/tenant/tenant.ts';
import { allJobs } from '#server/jobs.ts';
import type { Store } from '#server/platform/db/store.ts';
import { makeJobRunner } from '#server/platform/jobs/runner.ts';
import { organization, repository } from '../backup/fixtures.ts';
import { anyDatabase, freshStore, ONE } from '../db/databases.ts';
import { makeFixture } from '../http/fixtures.ts';
import { anOffice } from '../sync/fixtures.ts';
import { openSession, someBackups } from './fixtures.ts';
import { signInOperator, storeDirectory } from './operators.ts';

const folder = mkdtempSync(join(tmpdir(), 'daybook-compare-'));
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});
/** The backup application can only read. */
const ROLES = [
  'Mail.Read',
  'Calendars.Read',
  'Contacts.Read',
  'Tasks.Read.All',
  'Files.Read.All',
  'User.Read.All',
  'Group.Read.All',
  'Organization.Read.All',
];

/** A person whose mailbox and OneDrive are backed up, with an application that can only read. */
async function aBackup(store: Store, roles: readonly string[] = ROLES) {
  const fixture = await makeFixture({ repositoriesDir: folder }, store);
  const { context } = fixture;
  const tenant = createDemoTenant({
    file: null,
    seed: 9,
    now: () => context.clock.now(),
    size: { people: 2, minMails: 40, maxMails: 44, minFiles: 6, maxFiles: 6, maxFileBytes: 3_000 },
  });
  context.cloud.connectTo((request) => tenant.fetch(request));
  const { appId, secret } = tenant.admin.registerApplication('Backup', roles);
  const office = await anOffice(fixture);
  const who = await office.as('admin', ['o365_admin']);
  const ask = async <T>(method: string, path: string, body?: object): Promise<T> => {
    const answer = await who<T>(method, path, body);
    if (answer.status !== 200) throw new Error(`${path}: ${answer.text}`);
    return answer.body.data;
  };
  const { id: organizationId } = await ask<{ id: string }>(
    'POST',
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
  const place = await ask<{ id: string }>('POST', 'o365/repositories', repository(organizationId));
  const [person] = tenant.admin.listUsers();
  if (person === undefined) throw new Error('nobody');
  await ask('POST', 'o365/jobs', {
    organizationId,
    name: 'One person',
    backupType: 'SelectedItems',
    selectedItems: [{ type: 'User', id: person.id, mailbox: true, oneDrive: true }],
    repositoryId: place.id,
    schedulePolicy: {
      schedule: { type: 'Disabled' },
      backupWindow: null,
      retryNumber: 0,
      retryWaitInterval: 10,
    },
    runNow: true,
  });
  const jobs = allJobs(context);
  const runner = makeJobRunner(context, {
    'backup-session': jobs['backup-session'],
    'restore-task': jobs['restore-task'],
  });
  await runner.tick();
  const open = async (sessionType: 'Vex' | 'Veod') => {
    const { id } = await ask<{ id: string }>('POST', 'o365/restore/restoresessions', {
      organizationId,
      datetime: context.clock.now(),
      sessionType,
    });
    return `o365/restore/restoresessions/${id}`;
  };
  fixture.pass(60_000);
  return { fixture, tenant, office, who, ask, open, person, organizationId, runner };
}
type Backup = Awaited<ReturnType<typeof aBackup>>;
interface Found {
  readonly id: string;
  readonly name: string;
  readonly kind: string;
}
type Compared = OutputOf<'compareWithProduction'>;
type Page = OutputOf<'compareFolderWithProduction'>;

/** The ids of backed-up items by their kinds and titles. */
async function findItems({ ask, organizationId }: Backup, words: readonly string[]) {
  const found = new Map<string, string>();
  for (const word of new Set(words)) {
    const { rows } = await ask<{ rows: Found[] }>(
      'GET',
      `o365/restore/search?organizationId=${organizationId}&limit=500&search=${encodeURIComponent(word)}`,
    );
    for (const { id, kind, name } of rows) found.set(`${kind} ${name}`, id);
  }
  return (kind: string, name: string): string => {
    const id = found.get(`${kind} ${name}`);
    if (id === undefined) throw new Error(`no ${kind} ${name} in ${[...found.keys()].join(', ')}`);
    return id;
  };
}
const getTitle = (row: { readonly props: string }): string => {
  const props = JSON.parse(row.props) as Record<string, string>;
  return props['subject'] ?? props['displayName'] ?? props['title'] ?? '';
};
const differing = ({ properties }: Compared) =>
  properties.filter(({ isSame }) => !isSame).map(({ name }) => name);

anyDatabase((kind, openStore) => {
  test(`RES-82: items are compared with what the tenant has now, with an application that can only read (${kind})`, async () => {
    const backup = await aBackup(await openStore());
    const { tenant, person, ask, open, who } = backup;
    const { admin } = tenant;
    const inbox = admin.listFolders(person.id).find((one) => one.well_known === 'inbox')?.id ?? '';
    const mails = admin.listMessages(person.id, inbox);
    const [flagged, moved, deleted, purged, same] = mails;
    if (!flagged || !moved || !deleted || !purged || !same) throw new Error('too few mails');
    const archive = admin.listFolders(person.id).find((one) => one.well_known === 'archive');
    const wasFlagged = flagged.props.includes('"flagStatus":"flagged"');
    admin.flagMessage(person.id, flagged.id, !wasFlagged);
    admin.moveMessage(person.id, moved.id, archive?.id ?? '');
    admin.deleteMessage(person.id, deleted.id);
    admin.purgeMessage(person.id, purged.id);
    const byKind = (of: 'event' | 'contact' | 'task') => admin.outlook.list(person.id, of);
    const [event] = byKind('event');
    const [contact, otherContact] = byKind('contact');
    const [task] = byKind('task');
    if (!event || !contact || !otherContact || !task) throw new Error('too few items');
    const names = [event, contact, otherContact, task].map(getTitle);
    admin.outlook.change(person.id, 'event', event.id);
    admin.outlook.remove(person.id, 'contact', contact.id);
    admin.outlook.change(person.id, 'task', task.id);
    const [changed, gone, left] = admin.listFiles(person.id);
    if (!changed || !gone || !left) throw new Error('too few files');
    admin.changeFile(person.id, changed.id, Buffer.from('other bytes'));
    admin.deleteFile(person.id, gone.id);

    const find = await findItems(backup, [
      ...names,
      ...[changed, gone, left].map(({ name }) => name),
    ]);
    const outlook = await open('Vex');
    const { rows: boxes } = await ask<{ rows: { id: string }[] }>('GET', `${outlook}/mailboxes`);
    const { rows: folders } = await ask<{ rows: { id: string; name: string }[] }>(
      'GET',
      `${outlook}/mailboxes/${boxes[0]?.id}/folders`,
    );
    const inboxId = folders.find(({ name }) => name === 'Inbox')?.id ?? '';
    const { rows: items } = await ask<{ rows: (Found & { readonly at: number })[] }>(
      'GET',
      `${outlook}/mailboxes/${boxes[0]?.id}/items?parentId=${inboxId}&limit=200`,
    );
    const findMail = (row: (typeof mails)[number]): string =>
      items.find(({ name, at }) => name === getTitle(row) && at === row.received_at)?.id ?? '';
    const compare = (session: string, id: string) =>
      ask<Compared>('GET', `${session}/compare?itemId=${id}`);
    const mail = (row: (typeof mails)[number]) => compare(outlook, findMail(row));

    const isNowFlagged = await mail(flagged);
    expect(isNowFlagged.state).toBe('changed');
    expect(differing(isNowFlagged)).toEqual(['flagged']);
    expect(isNowFlagged.properties.find(({ name }) => name === 'flagged')).toEqual({
      name: 'flagged',
      backup: String(wasFlagged),
      production: String(!wasFlagged),
      isSame: false,
    });
    expect(isNowFlagged.content).toBe('same');
    expect(isNowFlagged.lines?.every((line) => line.kind === 'same')).toBe(true);
    const hasMoved = await mail(moved);
    expect([hasMoved.state, differing(hasMoved)]).toEqual(['moved', ['folder']]);
    expect(hasMoved.properties.find(({ name }) => name === 'folder')).toMatchObject({
      backup: 'Inbox',
      production: archive?.name,
    });
    expect(await mail(deleted)).toMatchObject({ state: 'deleted' });
    expect(await mail(purged)).toMatchObject({ state: 'deleted', lines: null });
    expect(await mail(same)).toMatchObject({ state: 'same', content: 'same' });

    const [eventName = '', contactName = '', otherName = '', taskName = ''] = names;
    const isNowNamed = await compare(outlook, find('event', eventName));
    expect(isNowNamed).toMatchObject({ state: 'changed', content: 'changed' });
    expect(differing(isNowNamed)).toContain('name');
    expect(isNowNamed.lines).not.toBeNull();
    expect((await compare(outlook, find('contact', contactName))).state).toBe('deleted');
    expect((await compare(outlook, find('contact', otherName))).state).toBe('same');
    expect((await compare(outlook, find('task', taskName))).state).toBe('changed');

    const drive = await open('Veod');
    const isNowOther = await compare(drive, find('file', changed.name));
    expect(isNowOther).toMatchObject({ state: 'changed', content: 'changed' });
    expect(differing(isNowOther)).toContain('size');
    expect(isNowOther.properties.find(({ name }) => name === 'size')?.production).toBe('11');
    expect((await compare(drive, find('file', gone.name))).state).toBe('deleted');
    expect((await compare(drive, find('file', left.name))).state).toBe('same');

    // The whole Inbox, in pages.
    const states = new Map<string, string>();
    let count: number | null = null;
    let pages = 0;
    for (let cursor: string | null = ''; cursor !== null; pages += 1) {
      const page: Page = await ask<Page>(
        'GET',
        `${outlook}/compare/folder?folderId=${inboxId}&limit=4${cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`}`,
      );
      count ??= page.count;
      for (const row of page.rows) states.set(row.id, row.state);
      cursor = page.next;
    }
    expect(pages).toBe(Math.ceil(mails.length / 4));
    expect([count, states.size]).toEqual([mails.length, mails.length]);
    expect(states.get(findMail(flagged))).toBe('changed');
    expect(states.get(findMail(moved))).toBe('moved');
    expect(states.get(findMail(purged))).toBe('deleted');
    expect([...states.values()].filter((state) => state === 'same')).toHaveLength(mails.length - 4);

    // Each comparison is in the audit, and of a folder how many items.
    const audit = await ask<OutputOf<'listRestoreAudit'>>(
      'GET',
      'o365/restore/audit?action=compare',
    );
    expect(audit.rows[0]).toMatchObject({ words: 'Compared with production', action: 'compare' });
    expect(audit.rows.some(({ count: items }) => items === 4)).toBe(true);

    // Other kinds, other objects and other sessions.
    expect((await who('GET', `${outlook}/compare?itemId=i999.1`)).status).toBe(404);
    expect((await who('GET', `${outlook}/compare?itemId=${find('file', left.name)}`)).status).toBe(
      404,
    );
    const stranger = await backup.office.as('stranger', ['o365_admin']);
    const { text } = await stranger('GET', `${outlook}/compare?itemId=${findMail(same)}`);
    expect(text).toContain('"success":false');
  });
});

test('RES-82: throttling, missing permissions, no network and a removed organization are said, and nothing is compared', async () => {
  const backup = await aBackup(await freshStore(ONE));
  const { tenant, who, open, fixture, organizationId, ask } = backup;
  const { rows } = await ask<{ rows: Found[] }>(
    'GET',
    `o365/restore/search?organizationId=${organizationId}&sessionType=Vex&search=a`,
  );
  const item = rows.find((row) => row.kind === 'mail')?.id ?? '';
  const session = await open('Vex');
  const compare = () => who('GET', `${session}/compare?itemId=${item}`);
  expect((await compare()).status).toBe(200);

  tenant.admin.setFailurePlan([{ path: /\$batch/, failure: 'throttled', retryAfterSeconds: 150 }]);
  const throttled = await compare();
  expect([throttled.status, throttled.text]).toEqual([
    503,
    expect.stringContaining('Microsoft 365 limits requests at the moment. Try again in 3 minutes.'),
  ]);
  tenant.admin.setFailurePlan([]);
  fixture.pass(200_000);

  fixture.context.cloud.connectTo(() => Promise.reject(new TypeError('fetch failed')));
  const unreachable = await compare();
  expect([unreachable.status, unreachable.text]).toEqual([
    503,
    expect.stringContaining("can't be reached"),
  ]);
  fixture.context.cloud.connectTo((request) => tenant.fetch(request));

  fixture.context.cloud.connectTo((request) =>
    request.url.endsWith('/$batch')
      ? Promise.resolve(
          Response.json({ error: { code: 'ErrorAccessDenied', message: '' } }, { status: 403 }),
        )
      : tenant.fetch(request),
  );
  const forbidden = await compare();
  expect(forbidden.text).toContain('Check the permissions of the application');

  await ask('DELETE', `o365/organizations/${organizationId}`);
  expect((await compare()).status).toBe(404);
});

test('RES-82: what a restore created again counts as there, although it has another id', async () => {
  const backup = await aBackup(await freshStore(ONE), [
    ...ROLES,
    'Mail.ReadWrite',
    'Calendars.ReadWrite',
    'Contacts.ReadWrite',
    'Tasks.ReadWrite.All',
    'Files.ReadWrite.All',
  ]);
  const { tenant, person, ask, open, runner, fixture, organizationId } = backup;
  const { admin } = tenant;
  const [mail] = admin.listMessages(person.id);
  const [contact] = admin.outlook.list(person.id, 'contact');
  const [event] = admin.outlook.list(person.id, 'event');
  const [task] = admin.outlook.list(person.id, 'task');
  const [file] = admin.listFiles(person.id);
  if (!mail || !contact || !event || !task || !file) throw new Error('too few items');
  const sessions = { outlook: await open('Vex'), drive: await open('Veod') };
  const findIds = async (session: string, kind: string): Promise<readonly string[]> => {
    const { rows } = await ask<{ rows: Found[] }>(
      'GET',
      `o365/restore/search?organizationId=${organizationId}&limit=500&search=${encodeURIComponent(
        kind === 'file' ? file.name : getTitle({ mail, contact, event, task }[kind] ?? mail),
      )}`,
    );
    return rows.filter((row) => row.kind === kind).map(({ id }) => `${session} ${id}`);
  };
  const all = [
    ...(await findIds(sessions.outlook, 'mail')),
    ...(await findIds(sessions.outlook, 'contact')),
    ...(await findIds(sessions.outlook, 'event')),
    ...(await findIds(sessions.outlook, 'task')),
    ...(await findIds(sessions.drive, 'file')),
  ];
  const listStates = async (): Promise<readonly string[]> => {
    const states: string[] = [];
    for (const one of all) {
      const [session = '', id = ''] = one.split(' ');
      states.push((await ask<Compared>('GET', `${session}/compare?itemId=${id}`)).state);
    }
    return states;
  };
  expect(new Set(await listStates())).toEqual(new Set(['same']));
  admin.purgeMessage(person.id, mail.id);
  admin.outlook.remove(person.id, 'contact', contact.id);
  admin.outlook.remove(person.id, 'event', event.id);
  admin.outlook.remove(person.id, 'task', task.id);
  admin.deleteFile(person.id, file.id);
  expect((await listStates()).filter((state) => state === 'deleted')).toHaveLength(5);

  for (const objects of [`${sessions.outlook}/mailboxes`, `${sessions.drive}/onedrives`]) {
    const { rows } = await ask<{ rows: Found[] }>('GET', objects);
    const { taskId } = await ask<{ taskId: string }>('POST', `${objects}/${rows[0]?.id}/restore`, {
      deletedItems: true,
      changedItems: false,
    });
    for (let turns = 0; turns < 10; turns += 1) {
      await runner.tick();
      const task = await ask<{ state: string }>(
        'GET',
        `o365/restore/tasks/${taskId}?organizationId=${organizationId}`,
      );
      if (task.state === 'done') break;
      fixture.pass(60_000);
    }
  }
  expect(new Set(await listStates())).toEqual(new Set(['same']));
});

test('RES-82, RES-53: an operator compares only what its roles are about', async () => {
  const backups = await someBackups(await freshStore(ONE));
  const { admin, ours } = backups;
  const { organization: organizationId } = ours;
  await storeDirectory(
    backups,
    organizationId,
    ['user-1', 'user-2', 'user-9'].map((id) => ({ kind: 'user', id })),
    {},
  );
  await admin('POST', `o365/organizations/${organizationId}/restore-roles`, {
    name: 'Desk',
    description: '',
    operators: [{ type: 'User', id: 'user-9' }],
    roleType: 'SpecificObjects',
    selectedItems: [{ type: 'User', id: 'user-1' }],
    excludedItems: [],
  });
  const operator = await signInOperator(backups, organizationId, 'user-9');
  const session = `o365/restore/restoresessions/${await openSession(operator, ours)}`;
  const ask = async (path: string) => (await operator('GET', `${session}/${path}`)).status;
  // Its own: the organization of this test has no tenant to ask.
  expect(await ask('compare?itemId=i1.1')).toBe(409);
  expect(await ask('compare/folder?folderId=f1.1')).toBe(409);
  // Another mailbox doesn't exist for it.
  expect(await ask('compare?itemId=i2.1')).toBe(404);
  expect(await ask('compare/folder?folderId=f2.1')).toBe(404);
  expect(await ask('compare/folder?folderId=o2')).toBe(404);
});
