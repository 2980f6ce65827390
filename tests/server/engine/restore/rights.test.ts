import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import type { EngineScope } from '#contract/engine/engine.ts';
import { eachDatabase, ONE } from '../../db/databases.ts';
import { getKind, getValue } from '../restic/fixtures.ts';
import { setUp } from './rights-fixture.ts';

const MINUTE = 60_000;
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
    const impersonation = {
      ...scope,
      origin: { ip: '', agent: '', actor: randomUUID(), impersonation: randomUUID(), key: null },
    };
    expect(getKind(await at.restore(session, false, impersonation))).toBe('forbidden');

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

test('RES-24: rights that name no service are for mailboxes, OneDrives and teams, and not for sites', async () => {
  const at = await setUp(ONE);
  const { engine, scope } = at;
  await at.signIn(scope, at.office, null);
  const { expiresAt } = getValue(await engine.restoreRights.grant(scope));
  for (const workload of ['outlook', 'onedrive', 'teams'] as const)
    expect([workload, getValue(await engine.restoreRights.get(scope, { workload }))]).toMatchObject(
      [workload, { missing: [], expiresAt }],
    );
  expect(getValue(await engine.restoreRights.get(scope, { workload: 'sharepoint' }))).toMatchObject(
    { missing: ['Sites.Manage.All'], expiresAt: null },
  );
});

test('RES-25: a restore that takes longer than an hour keeps its rights until it is done, and nothing else has them', async () => {
  const at = await setUp(ONE);
  const { engine, scope, ended } = at;
  const before = at.mails().length;
  at.loseMails();
  await at.addAdministrator();
  const session = await at.openSession();
  await at.signIn();
  getValue(await engine.restoreRights.grant(scope));
  const task = getValue(await at.restore(session, false));
  at.pass(5 * 60 * MINUTE);
  // The end of the rights is looked at before the restore goes on.
  await at.tickRights();
  expect(getKind(await at.restore(await at.openSession(), false))).toBe('forbidden');
  expect(await at.grants()).toMatchObject([{ ended_at: null }]);
  expect([(await ended(task)).result, at.mails().length]).toEqual(['success', before]);

  // The administrator's sign-in has ended, so the next one removes the application.
  at.pass(MINUTE);
  await at.tick();
  const [left] = await at.grants();
  expect(left).toMatchObject({ sealed: null, removed: false });
  // Administrators learn where it is, and how it is removed.
  const mails = await at.readMails();
  expect(mails).toHaveLength(1);
  for (const words of ['kate@example.com', 'Restore (temporary)', left?.registration_id ?? '?'])
    expect(mails[0]).toContain(words);
  expect((await at.recorded()).map(({ what }) => what)).toEqual([
    'restorerights.requested',
    'restorerights.granted',
    'restorerights.ended',
    'restorerights.removed',
  ]);
  await at.signIn();
  getValue(await engine.restoreRights.grant(scope));
  expect((await at.temporary()).length).toBe(1);

  // Disconnecting the organization ends them at once, also those of a restore that has started.
  at.loseMails();
  const last = getValue(await at.restore(await at.openSession(), false));
  getValue(await engine.organizations.disconnect(scope));
  await at.tickRights();
  expect(await at.temporary()).toEqual([]);
  expect((await ended(last)).result).not.toBe('success');
  expect(at.mails().length).toBe(before - 2);
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
  at.pass(24 * 60 * MINUTE);
  expect((await ended(task)).message).toContain('rights to write have ended');
  expect(getKind(await at.restore(await at.openSession(), false))).toBe('forbidden');

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
