import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import type { EngineScope, Node, EngineTask, Workload } from '#contract/engine/engine.ts';
import { createDemoTenant } from '#server/demo/tenant/tenant.ts';
import { allJobs } from '#server/jobs.ts';
import { makeJobRunner } from '#server/platform/jobs/runner.ts';
import { freshStore, ONE } from '../../db/databases.ts';
import { aTenant } from '../../db/drafts.ts';
import { makeFixture } from '../../http/fixtures.ts';
import { connectWithSecret, createBackup } from '../organization.ts';
import { getValue } from '../restic/fixtures.ts';
import { NO_FLAGS } from './no-flags.ts';

const ROLES = [
  'Mail.ReadWrite',
  'Calendars.ReadWrite',
  'Contacts.ReadWrite',
  'Tasks.ReadWrite.All',
  'Files.ReadWrite.All',
  'User.Read.All',
  'Sites.Read.All',
  'Group.Read.All',
  'Organization.Read.All',
];
const folder = mkdtempSync(join(tmpdir(), 'daybook-restore-'));
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

test('RES-23, ENG-71: what a tenant lost comes back by the jobs of the server alone, and undo removes it again', async () => {
  const fixture = await makeFixture({ repositoriesDir: folder }, await freshStore(ONE));
  const { context } = fixture;
  const { store, clock } = context;
  const tenant = await aTenant(store);
  const office = createDemoTenant({
    file: null,
    seed: 5,
    now: () => clock.now(),
    size: { people: 2, minMails: 4, maxMails: 6, minFiles: 3, maxFiles: 4, maxFileBytes: 20_000 },
  });
  context.cloud.connectTo((request) => office.fetch(request));
  const scope: EngineScope = { tenant, organization: randomUUID(), user: randomUUID() };
  const engine = context.embeddedEngine;
  getValue(
    await engine.organizations.connect(
      scope,
      connectWithSecret(office, office.admin.registerApplication('Backup', ROLES)),
    ),
  );
  const { job } = await createBackup(context, scope, {
    type: 'Periodically',
    periodicallyEvery: 'Hours12',
  });
  const jobs = allJobs(context);
  const runner = makeJobRunner(context, {
    'backup-session': jobs['backup-session'],
    'restore-task': jobs['restore-task'],
  });
  getValue(await engine.jobs.start(scope, { job, reason: 'manual' }));
  await runner.tick();

  const ended = async (task: string): Promise<EngineTask> => {
    for (let turns = 0; turns < 10; turns++) {
      await runner.tick();
      const now = getValue(await engine.getTask(scope, { task }));
      if (now.state === 'done') return now;
      fixture.pass(60_000);
    }
    throw new Error('The restore does not end.');
  };
  const loadObject = async (workload: Workload, name: string): Promise<[string, Node]> => {
    const { id } = getValue(
      await engine.openExplorer(scope, {
        workload,
        job: null,
        at: clock.now(),
        showDeleted: false,
      }),
    );
    const list = getValue(
      await engine.listChildren(scope, {
        explorer: id,
        parent: null,
        only: 'all',
        text: null,
        sort: 'name',
        descending: false,
        cursor: null,
        limit: 50,
      }),
    );
    const found = list.rows.find((one) => one.name === name);
    if (!found) throw new Error(`no ${name} in ${JSON.stringify(list.rows.map((n) => n.name))}`);
    return [id, found];
  };

  const { admin } = office;
  const person = admin.listUsers().find(({ id }) => admin.listMessages(id).length > 2);
  if (!person) throw new Error('Nobody has mails.');
  // What is removed can still be recovered in the mailbox for a while.
  const bins = admin
    .listFolders(person.id)
    .filter(({ well_known: name }) => name === 'recoverableitemsdeletions')
    .map(({ id }) => id);
  const mails = () =>
    admin.listMessages(person.id).filter((one) => !bins.includes(one.folder_id)).length;
  const kinds = ['event', 'contact', 'task'] as const;
  const outlook = () =>
    kinds.reduce((sum, kind) => sum + admin.outlook.list(person.id, kind).length, 0);
  const files = () => admin.listFiles(person.id).length;
  for (const [workload, count, lose] of [
    [
      'outlook',
      mails,
      () => {
        const stored = admin.listMessages(person.id).filter((one) => !bins.includes(one.folder_id));
        for (const { id } of stored.slice(0, 2)) admin.purgeMessage(person.id, id);
      },
    ],
    [
      'outlook',
      outlook,
      () => {
        for (const kind of kinds)
          for (const { id } of admin.outlook.list(person.id, kind).slice(0, 2))
            admin.outlook.remove(person.id, kind, id);
      },
    ],
    [
      'onedrive',
      files,
      () => {
        const [file] = admin.listFiles(person.id);
        if (file) admin.deleteFile(person.id, file.id);
      },
    ],
  ] as const) {
    const before = count();
    lose();
    const lost = count();
    expect(lost).toBeLessThan(before);
    const [explorer, object] = await loadObject(workload, person.name);
    const restore = (dryRun: boolean) =>
      engine.restore(scope, {
        explorer,
        nodes: [object.id],
        target: { kind: 'original' },
        select: 'missing',
        onConflict: 'skip',
        versions: 'last',
        flags: NO_FLAGS,
        dryRun,
        reason: null,
      });
    const dry = await ended(getValue(await restore(true)));
    expect([workload, dry.result, dry.counts.failed, count()]).toEqual([
      workload,
      'success',
      0,
      lost,
    ]);
    const task = getValue(await restore(false));
    const done = await ended(task);
    expect([workload, done.result, done.message, done.counts]).toEqual([
      workload,
      'success',
      null,
      dry.counts,
    ]);
    expect(count()).toBe(before);
    const undone = await ended(getValue(await engine.undo(scope, { task })));
    expect([undone.kind, undone.workload, undone.result, count()]).toEqual([
      'undo',
      workload,
      'success',
      lost,
    ]);
  }
  // What the tenant refuses once comes with the retry.
  const before = mails();
  const stored = admin.listMessages(person.id);
  const purged = stored.filter((one) => !bins.includes(one.folder_id)).slice(0, 2);
  for (const { id } of purged) admin.purgeMessage(person.id, id);
  const [explorer, object] = await loadObject('outlook', person.name);
  admin.setFailurePlan([{ path: WRITES, method: 'POST', at: [1], failure: 'gone' }]);
  const partly = await ended(
    getValue(
      await engine.restore(scope, {
        explorer,
        nodes: [object.id],
        target: { kind: 'original' },
        select: 'missing',
        onConflict: 'skip',
        versions: 'last',
        flags: NO_FLAGS,
        dryRun: false,
        reason: null,
      }),
    ),
  );
  admin.setFailurePlan([]);
  expect([partly.result, partly.counts.failed, partly.canRetry]).toEqual(['warning', 1, true]);
  const missing = mails();
  const retried = await ended(getValue(await engine.retry(scope, { task: partly.id })));
  expect([retried.result, retried.of, retried.counts]).toEqual([
    'success',
    partly.id,
    { restored: 1, merged: 0, skipped: 0, failed: 0 },
  ]);
  expect(mails()).toBe(missing + 1);
  expect(mails()).toBeGreaterThanOrEqual(before);
  office.close();
});

/** The import of a mail. */
const WRITES = /messages$/;
